package groupscale;

import javassist.ClassPool;
import javassist.CtClass;

/**
 * Writes the worker's {@code FunctionRuntimeManager} with one comparison of ours.
 *
 * <p>Pulsar stops and starts every instance whose assignment differs at all, and a new parallelism
 * is part of each. With the class written here, instances whose work is the same go on.
 */
public final class ExtendWorker {
    private static final String MANAGER =
            "org.apache.pulsar.functions.worker.FunctionRuntimeManager";

    private ExtendWorker() {
    }

    /** Write the class into a folder, which then stands ahead on the class path. */
    public static void main(String[] folder) throws Exception {
        CtClass manager = ClassPool.getDefault().get(MANAGER);
        manager.getDeclaredMethod("updateAssignment").insertBefore(
                "{ if (groupscale.SameInstance.stays(this.findAssignment($1), $1)) {"
                + " this.deleteAssignment(this.findAssignment($1));"
                + " this.setAssignment($1); return; } }");
        manager.writeFile(folder[0]);
    }
}
