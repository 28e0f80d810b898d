import java.lang.reflect.Method;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.metadata.placement.UsableBroker;
import org.apache.kafka.tools.reassign.ReassignPartitionsCommand;

/**
 * Answers with the plans of {@code kafka-reassign-partitions --generate}.
 *
 * <p>A line has the brokers after the plan, separated by commas, a blank, and the partitions,
 * separated by blanks, as TOPIC:NUMBER:BROKER,BROKER. The answer has the brokers of each partition,
 * in the same order and form. The method that makes plans is private; the command around it would
 * need a cluster for each of them.
 */
public final class Generate {
    private Generate() {
    }

    public static void main(String[] args) throws Exception {
        Method plan =
            ReassignPartitionsCommand.class.getDeclaredMethod("calculateAssignment", Map.class, List.class);
        plan.setAccessible(true);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            List<UsableBroker> brokers = new ArrayList<>();
            for (Integer id : ids(words[0])) {
                brokers.add(new UsableBroker(id, Optional.empty(), false));
            }
            List<TopicPartition> order = new ArrayList<>();
            Map<TopicPartition, List<Integer>> current = new HashMap<>();
            for (int i = 1; i < words.length; i++) {
                String[] parts = words[i].split(":");
                TopicPartition partition = new TopicPartition(parts[0], Integer.parseInt(parts[1]));
                order.add(partition);
                current.put(partition, ids(parts[2]));
            }
            Map<?, ?> planned = (Map<?, ?>) plan.invoke(null, current, brokers);
            StringBuilder answer = new StringBuilder();
            for (TopicPartition partition : order) {
                String row = planned.get(partition).toString();
                answer.append(row, 1, row.length() - 1).append(';');
            }
            System.out.println(answer);
        }
    }

    private static List<Integer> ids(String text) {
        List<Integer> numbers = new ArrayList<>();
        for (String word : text.split(",")) {
            numbers.add(Integer.parseInt(word));
        }
        return numbers;
    }
}
