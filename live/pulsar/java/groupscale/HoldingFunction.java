package groupscale;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import org.apache.pulsar.functions.api.Context;
import org.apache.pulsar.functions.api.Function;

/**
 * Holds each record for the time that it names, and passes it on with what happened.
 *
 * <p>A record is text: {@code number;due;gap;hold:hold:…} and then, for every function that it has
 * passed, {@code ;name:instance:incarnation:began:done}. Times are nanoseconds of the monotonic
 * clock, which all processes of a machine share. The hold is the one of this function's place, so a
 * record that is delivered again takes equally long. An interruption waits for its end, unless the
 * function is configured as interruptible: then the record fails, and is delivered again.
 */
public final class HoldingFunction implements Function<byte[], byte[]> {
    private final long incarnation = System.nanoTime();

    @Override
    public byte[] process(byte[] input, Context context) throws InterruptedException {
        long began = System.nanoTime();
        String text = new String(input, StandardCharsets.US_ASCII);
        String[] fields = text.split(";");
        int place = Integer.parseInt(context.getUserConfigValueOrDefault("place", "0").toString());
        Object kind = context.getUserConfigValueOrDefault("hold", "uninterruptible");
        boolean interruptible = "interruptible".equals(kind);
        long until = began + Long.parseLong(fields[3].split(":")[place]);
        boolean interrupted = hold(until, interruptible);
        long done = System.nanoTime();
        measure(context, "service", (done - began) * 1e-9);
        if (!fields[2].isEmpty()) {
            measure(context, "gap", Long.parseLong(fields[2]) * 1e-9);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        String passed = String.join(":", context.getFunctionName(),
                Integer.toString(context.getInstanceId()), Long.toString(incarnation),
                Long.toString(began), Long.toString(done));
        return (text + ";" + passed).getBytes(StandardCharsets.US_ASCII);
    }

    /** Sums of x and x²: Pulsar's own statistics have no second moment. */
    private static void measure(Context context, String name, double seconds) {
        context.recordMetric(name, seconds);
        context.recordMetric(name + "_squared", seconds * seconds);
    }

    private static boolean hold(long until, boolean interruptible) throws InterruptedException {
        boolean interrupted = false;
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
            interrupted |= Thread.interrupted();
            if (interrupted && interruptible) {
                Thread.currentThread().interrupt();
                throw new InterruptedException("stopped while it held a record");
            }
        }
        return interrupted;
    }
}
