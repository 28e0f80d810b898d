package groupscale;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
 *
 * <p>Behind a line feed, a record can carry an image. A function with a width resizes it, which takes
 * as long as it takes, and passes the smaller one on; others pass on none.
 */
public final class HoldingFunction implements Function<byte[], byte[]> {
    private final long incarnation = System.nanoTime();

    @Override
    public byte[] process(byte[] input, Context context)
            throws InterruptedException, IOException {
        long began = System.nanoTime();
        int end = textEnd(input);
        String text = new String(input, 0, end, StandardCharsets.US_ASCII);
        String[] fields = text.split(";");
        int place = Integer.parseInt(context.getUserConfigValueOrDefault("place", "0").toString());
        int width = Integer.parseInt(context.getUserConfigValueOrDefault("width", "0").toString());
        Object kind = context.getUserConfigValueOrDefault("hold", "uninterruptible");
        boolean interruptible = "interruptible".equals(kind);
        long until = began + Long.parseLong(fields[3].split(":")[place]);
        byte[] image = width == 0 ? null : resized(input, end, width);
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
        return joined((text + ";" + passed).getBytes(StandardCharsets.US_ASCII), image);
    }

    /** Where the text of a record ends: at its line feed, if it has one. */
    private static int textEnd(byte[] record) {
        int end = 0;
        while (end < record.length && record[end] != '\n') {
            end++;
        }
        return end;
    }

    private static byte[] resized(byte[] record, int end, int width) throws IOException {
        int begin = Math.min(end + 1, record.length);
        return ImageResizer.resized(Arrays.copyOfRange(record, begin, record.length), width);
    }

    private static byte[] joined(byte[] text, byte[] image) {
        if (image == null) {
            return text;
        }
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        record.writeBytes(text);
        record.write('\n');
        record.writeBytes(image);
        return record.toByteArray();
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
