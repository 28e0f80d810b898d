package groupscale;

import java.nio.charset.StandardCharsets;
import org.apache.pulsar.functions.api.Context;
import org.apache.pulsar.functions.api.Function;

/**
 * Holds records, but fails at the first delivery of every tenth.
 *
 * <p>Record 25 ends its instance as well: the interruption reaches the instance's own loop.
 */
public final class FailingFunction implements Function<byte[], byte[]> {
    private static final int EVERY = 10;
    private static final int FAILING = 3;
    private static final int DEADLY = 25;

    private final HoldingFunction holding = new HoldingFunction();

    @Override
    public byte[] process(byte[] input, Context context) throws Exception {
        String text = new String(input, StandardCharsets.US_ASCII);
        int number = Integer.parseInt(text.substring(0, text.indexOf(';')));
        boolean fails = number % EVERY == FAILING || number == DEADLY;
        // A property outlives the class, which is loaded again with each instance.
        if (fails && System.setProperty("failed." + context.getFunctionName() + number, "") == null) {
            if (number == DEADLY) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("record " + number + " fails once");
        }
        return holding.process(input, context);
    }
}
