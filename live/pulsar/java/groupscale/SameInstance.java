package groupscale;

import org.apache.pulsar.functions.proto.Function.Assignment;
import org.apache.pulsar.functions.proto.Function.FunctionMetaData;
import org.apache.pulsar.functions.proto.Function.Instance;

/** Whether a changed assignment leaves an instance as it is. */
public final class SameInstance {
    private SameInstance() {
    }

    /** Whether two assignments differ at most in the function's parallelism and version. */
    public static boolean stays(Assignment before, Assignment after) {
        return before != null && plain(before).equals(plain(after));
    }

    private static Assignment plain(Assignment assignment) {
        Instance instance = assignment.getInstance();
        FunctionMetaData data = instance.getFunctionMetaData();
        FunctionMetaData.Builder same = data.toBuilder().clearVersion();
        same.setFunctionDetails(data.getFunctionDetails().toBuilder().clearParallelism());
        return assignment.toBuilder()
                .setInstance(instance.toBuilder().setFunctionMetaData(same)).build();
    }
}
