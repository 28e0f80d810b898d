import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/**
 * Runs histories of groups of one topic through Kafka's assignors.
 *
 * Input, line by line: "history NAME OWNER...", with the owner of each partition before the first
 * rebalance (-1 = nobody), then a line "members ID..." per rebalance. Output: a line per rebalance,
 * with the owner of each partition (-1 = withheld) after each of its rounds, rounds separated by
 * "|".
 *
 * Assignors see nothing of a member's name but its order and its hash. In each round, names are
 * single characters from U+4000 on, by ascending id: in a hash map they lie in the order of their
 * ids, which is checked.
 */
public class Assignors {
    static final String TOPIC = "events";
    static final int NOBODY = -1;

    /** One group; owners are ids per partition. */
    interface Group {
        List<int[]> rebalance(int[] members, int[] owners) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        Group group = null;
        int[] owners = null;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("history")) {
                group = groupOf(words[1]);
                owners = numbers(words, 2);
            } else {
                List<int[]> rounds = group.rebalance(numbers(words, 1), owners);
                owners = rounds.get(rounds.size() - 1);
                System.out.println(rounds.stream().map(Assignors::text).collect(Collectors.joining("|")));
            }
        }
    }

    static Group groupOf(String assignor) {
        switch (assignor) {
            case "range":
                return new ClassicGroup(org.apache.kafka.clients.consumer.RangeAssignor::new);
            case "roundrobin":
                return new ClassicGroup(RoundRobinAssignor::new);
            case "sticky":
                return new ClassicGroup(StickyAssignor::new);
            case "cooperative_sticky":
                return new ClassicGroup(CooperativeStickyAssignor::new);
            case "kip848_range":
                return new CoordinatedGroup(new org.apache.kafka.coordinator.group.assignor.RangeAssignor());
            case "kip848_uniform":
            case "kip848_uniform_4_0":
                return new CoordinatedGroup(new UniformAssignor());
            default:
                throw new IllegalArgumentException("unknown assignor " + assignor);
        }
    }

    /** A group of the classic protocol: each member has an assignor, the first one leads. */
    static class ClassicGroup implements Group {
        private final Supplier<ConsumerPartitionAssignor> create;
        private final Map<Integer, ConsumerPartitionAssignor> assignors = new TreeMap<>();
        private final Map<Integer, Integer> generations = new HashMap<>();
        private int generation = 0;

        ClassicGroup(Supplier<ConsumerPartitionAssignor> create) {
            this.create = create;
        }

        @Override
        public List<int[]> rebalance(int[] members, int[] owners) {
            assignors.keySet().retainAll(boxed(members));
            generations.keySet().retainAll(boxed(members));
            for (int member : members) {
                assignors.computeIfAbsent(member, id -> create.get());
                // What a member owns before its first rebalance here comes from an earlier one.
                if (generation == 0 && !owned(member, owners).isEmpty())
                    remember(member, owned(member, owners));
            }
            List<int[]> rounds = new ArrayList<>();
            boolean revoking = true;
            while (revoking) {
                int[] after = round(members, owners);
                rounds.add(after);
                // A cooperative member that has to revoke partitions joins again without them.
                revoking = isCooperative() && IntStream.range(0, owners.length)
                    .anyMatch(p -> boxed(members).contains(owners[p]) && after[p] != owners[p]);
                System.arraycopy(after, 0, owners, 0, owners.length);
            }
            return rounds;
        }

        private int[] round(int[] members, int[] owners) {
            Map<String, Subscription> subscriptions = new HashMap<>();
            for (int rank = 0; rank < members.length; rank++)
                subscriptions.put(name(rank), subscription(members[rank], owners));
            checkOrder(subscriptions.keySet());
            Map<String, Assignment> assignments = assignors.get(members[0])
                .assign(cluster(owners.length), new GroupSubscription(subscriptions))
                .groupAssignment();
            generation++;
            int[] after = new int[owners.length];
            Arrays.fill(after, NOBODY);
            for (int rank = 0; rank < members.length; rank++) {
                List<TopicPartition> partitions = assignments.get(name(rank)).partitions();
                partitions.forEach(give(members[rank], after));
                remember(members[rank], partitions);
            }
            return after;
        }

        private Subscription subscription(int member, int[] owners) {
            ByteBuffer userData = assignors.get(member).subscriptionUserData(Set.of(TOPIC));
            // An eager member has revoked everything before it joins.
            List<TopicPartition> owned = isCooperative() ? owned(member, owners) : List.of();
            int last = generations.getOrDefault(member, -1);
            return new Subscription(List.of(TOPIC), userData, owned, last, Optional.empty());
        }

        private void remember(int member, List<TopicPartition> partitions) {
            ConsumerGroupMetadata metadata =
                new ConsumerGroupMetadata("group", generation, "member", Optional.empty());
            assignors.get(member).onAssignment(new Assignment(partitions), metadata);
            generations.put(member, generation);
        }

        private boolean isCooperative() {
            return create.get().supportedProtocols().contains(RebalanceProtocol.COOPERATIVE);
        }
    }

    /** A group whose assignor runs in the coordinator (KIP-848). */
    static class CoordinatedGroup implements Group {
        private static final Uuid TOPIC_ID = new Uuid(1, 1);
        private final ConsumerGroupPartitionAssignor assignor;

        CoordinatedGroup(ConsumerGroupPartitionAssignor assignor) {
            this.assignor = assignor;
        }

        @Override
        public List<int[]> rebalance(int[] members, int[] owners) throws Exception {
            Map<String, MemberSubscriptionAndAssignmentImpl> specs = new HashMap<>();
            Map<Integer, String> names = new HashMap<>();
            for (int rank = 0; rank < members.length; rank++) {
                // The coordinator has hash sets of partitions. They are in ascending order there if
                // there are few partitions, and always here.
                Set<Integer> owned = new LinkedHashSet<>();
                for (TopicPartition partition : owned(members[rank], owners)) {
                    owned.add(partition.partition());
                    names.put(partition.partition(), name(rank));
                }
                Map<Uuid, Set<Integer>> target =
                    owned.isEmpty() ? Map.of() : Map.of(TOPIC_ID, owned);
                specs.put(name(rank), new MemberSubscriptionAndAssignmentImpl(
                    Optional.empty(), Optional.empty(), Set.of(TOPIC_ID),
                    new org.apache.kafka.coordinator.group.modern.Assignment(target)));
            }
            checkOrder(specs.keySet());
            GroupSpecImpl group =
                new GroupSpecImpl(specs, SubscriptionType.HOMOGENEOUS, Map.of(TOPIC_ID, names));
            Map<String, MemberAssignment> assignments =
                assignor.assign(group, describer(owners.length)).members();
            int[] after = new int[owners.length];
            Arrays.fill(after, NOBODY);
            for (int rank = 0; rank < members.length; rank++) {
                Set<Integer> partitions = assignments.get(name(rank)).partitions()
                    .getOrDefault(TOPIC_ID, Set.of());
                partitions.stream().map(p -> new TopicPartition(TOPIC, p))
                    .forEach(give(members[rank], after));
            }
            return List.of(after);
        }

        private static SubscribedTopicDescriber describer(int partitions) {
            return new SubscribedTopicDescriber() {
                @Override
                public int numPartitions(Uuid topicId) {
                    return partitions;
                }

                @Override
                public Set<String> racksForPartition(Uuid topicId, int partition) {
                    return Set.of();
                }
            };
        }
    }

    static Consumer<TopicPartition> give(int member, int[] after) {
        return partition -> {
            if (after[partition.partition()] != NOBODY)
                throw new IllegalStateException(partition + " has two owners");
            after[partition.partition()] = member;
        };
    }

    static List<TopicPartition> owned(int member, int[] owners) {
        return IntStream.range(0, owners.length).filter(p -> owners[p] == member)
            .mapToObj(p -> new TopicPartition(TOPIC, p)).collect(Collectors.toList());
    }

    static Cluster cluster(int partitions) {
        Node node = new Node(0, "localhost", 9092);
        Node[] replicas = {node};
        List<PartitionInfo> infos = IntStream.range(0, partitions)
            .mapToObj(p -> new PartitionInfo(TOPIC, p, node, replicas, replicas))
            .collect(Collectors.toList());
        return new Cluster("cluster", List.of(node), infos, Set.of(), Set.of());
    }

    static String name(int rank) {
        return String.valueOf((char) (0x4000 + rank));
    }

    static void checkOrder(Set<String> names) {
        List<String> ascending = new ArrayList<>(names);
        Collections.sort(ascending);
        if (!ascending.equals(new ArrayList<>(names)))
            throw new IllegalStateException("the hash map does not hold the members in order");
    }

    static Set<Integer> boxed(int[] members) {
        return IntStream.of(members).boxed().collect(Collectors.toCollection(HashSet::new));
    }

    static int[] numbers(String[] words, int from) {
        return Arrays.stream(words).skip(from).mapToInt(Integer::parseInt).toArray();
    }

    static String text(int[] owners) {
        return IntStream.of(owners).mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }
}
