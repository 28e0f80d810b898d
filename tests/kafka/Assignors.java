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
 * Runs histories of groups through Kafka's assignors.
 *
 * Input, line by line: "history NAME SIZE,... OWNER...", with the partitions of each topic, and the
 * owner of each partition before the first rebalance (-1 = nobody); then a line "members
 * ID:TOPIC,... ..." per rebalance, with the positions of the topics that each member reads. Output:
 * a line per rebalance, with the owner of each partition (-1 = withheld) after each of its rounds,
 * rounds separated by "|".
 *
 * Assignors see nothing of a member's name but its order and its hash. In each round, names are
 * single characters from U+4000 on, by ascending id: in a hash map they lie in the order of their
 * ids, which is checked. Topics are named such that partitions lie in their order in a hash set.
 */
public class Assignors {
    static final int MOST_PARTITIONS = 24;
    static final List<String> NAMES = new ArrayList<>();
    static final int NOBODY = -1;

    static int[] sizes;

    /** One group; owners are ids per partition, by topic and number. */
    interface Group {
        List<int[]> rebalance(TreeMap<Integer, int[]> members, int[] owners) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        Group group = null;
        int[] owners = null;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("history")) {
                group = groupOf(words[1]);
                sizes = numbers(words[2].split(","), 0);
                owners = numbers(words, 3);
            } else {
                List<int[]> rounds = group.rebalance(members(words), owners);
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
        public List<int[]> rebalance(TreeMap<Integer, int[]> members, int[] owners) {
            assignors.keySet().retainAll(members.keySet());
            generations.keySet().retainAll(members.keySet());
            for (int member : members.keySet()) {
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
                    .anyMatch(p -> members.containsKey(owners[p]) && after[p] != owners[p]);
                System.arraycopy(after, 0, owners, 0, owners.length);
            }
            return rounds;
        }

        private int[] round(TreeMap<Integer, int[]> members, int[] owners) {
            Map<String, Subscription> subscriptions = new HashMap<>();
            for (int member : members.keySet())
                subscriptions.put(name(subscriptions.size()), subscription(member, members, owners));
            checkOrder(subscriptions.keySet());
            Map<String, Assignment> assignments = assignors.get(members.firstKey())
                .assign(cluster(), new GroupSubscription(subscriptions))
                .groupAssignment();
            generation++;
            int[] after = new int[owners.length];
            Arrays.fill(after, NOBODY);
            int rank = 0;
            for (int member : members.keySet()) {
                List<TopicPartition> partitions = assignments.get(name(rank++)).partitions();
                partitions.forEach(give(member, after));
                remember(member, partitions);
            }
            return after;
        }

        private Subscription subscription(int member, Map<Integer, int[]> members, int[] owners) {
            List<String> topics = IntStream.of(members.get(member)).mapToObj(Assignors::topic)
                .collect(Collectors.toList());
            ByteBuffer userData = assignors.get(member).subscriptionUserData(new HashSet<>(topics));
            // An eager member has revoked everything before it joins.
            List<TopicPartition> owned = isCooperative() ? owned(member, owners) : List.of();
            int last = generations.getOrDefault(member, -1);
            return new Subscription(topics, userData, owned, last, Optional.empty());
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
        private final ConsumerGroupPartitionAssignor assignor;

        CoordinatedGroup(ConsumerGroupPartitionAssignor assignor) {
            this.assignor = assignor;
        }

        @Override
        public List<int[]> rebalance(TreeMap<Integer, int[]> members, int[] owners) throws Exception {
            Map<String, MemberSubscriptionAndAssignmentImpl> specs = new HashMap<>();
            Map<Uuid, Map<Integer, String>> names = new HashMap<>();
            Set<Set<Uuid>> subscriptions = new HashSet<>();
            for (int member : members.keySet()) {
                String name = name(specs.size());
                // The coordinator has hash sets of partitions. They are in ascending order there if
                // there are few partitions, and always here. So are ids of topics.
                Map<Uuid, Set<Integer>> target = new TreeMap<>();
                for (TopicPartition partition : owned(member, owners)) {
                    Uuid topic = id(NAMES.indexOf(partition.topic()));
                    target.computeIfAbsent(topic, id -> new LinkedHashSet<>()).add(partition.partition());
                    names.computeIfAbsent(topic, id -> new HashMap<>()).put(partition.partition(), name);
                }
                Set<Uuid> topics = IntStream.of(members.get(member)).mapToObj(CoordinatedGroup::id)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
                subscriptions.add(topics);
                specs.put(name, new MemberSubscriptionAndAssignmentImpl(
                    Optional.empty(), Optional.empty(), topics,
                    new org.apache.kafka.coordinator.group.modern.Assignment(target)));
            }
            checkOrder(specs.keySet());
            SubscriptionType type = subscriptions.size() == 1
                ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
            Map<String, MemberAssignment> assignments =
                assignor.assign(new GroupSpecImpl(specs, type, names), describer()).members();
            int[] after = new int[owners.length];
            Arrays.fill(after, NOBODY);
            int rank = 0;
            for (int member : members.keySet()) {
                MemberAssignment assignment = assignments.get(name(rank++));
                if (assignment != null)
                    assignment.partitions().forEach((topic, partitions) -> partitions.stream()
                        .map(p -> new TopicPartition(topic(position(topic)), p)).forEach(give(member, after)));
            }
            return List.of(after);
        }

        /** Ids of topics, which lie in a hash map in the order of the topics. */
        private static Uuid id(int topic) {
            return new Uuid(0, 2 + topic);
        }

        private static int position(Uuid id) {
            return (int) id.getLeastSignificantBits() - 2;
        }

        private static SubscribedTopicDescriber describer() {
            return new SubscribedTopicDescriber() {
                @Override
                public int numPartitions(Uuid topicId) {
                    return sizes[position(topicId)];
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
            int column = column(partition);
            if (after[column] != NOBODY)
                throw new IllegalStateException(partition + " has two owners");
            after[column] = member;
        };
    }

    static List<TopicPartition> owned(int member, int[] owners) {
        return partitions().stream().filter(partition -> owners[column(partition)] == member)
            .collect(Collectors.toList());
    }

    /** All partitions, by topic and number. */
    static List<TopicPartition> partitions() {
        return IntStream.range(0, sizes.length).boxed()
            .flatMap(t -> IntStream.range(0, sizes[t]).mapToObj(p -> new TopicPartition(topic(t), p)))
            .collect(Collectors.toList());
    }

    static int column(TopicPartition partition) {
        return IntStream.range(0, NAMES.indexOf(partition.topic())).map(t -> sizes[t]).sum()
            + partition.partition();
    }

    static Cluster cluster() {
        Node node = new Node(0, "localhost", 9092);
        Node[] replicas = {node};
        List<PartitionInfo> infos = partitions().stream()
            .map(p -> new PartitionInfo(p.topic(), p.partition(), node, replicas, replicas))
            .collect(Collectors.toList());
        return new Cluster("cluster", List.of(node), infos, Set.of(), Set.of());
    }

    static String name(int rank) {
        return String.valueOf((char) (0x4000 + rank));
    }

    /** Name of a topic: names ascend, and partitions of each ascend in hash sets. */
    static String topic(int position) {
        for (int t = NAMES.size(); t <= position; t++) {
            String start = String.valueOf((char) ('a' + t));
            NAMES.add(IntStream.iterate(0, i -> i + 1).mapToObj(i -> start + Integer.toString(i, 36))
                .filter(Assignors::isOrdered).findFirst().get());
        }
        return NAMES.get(position);
    }

    static boolean isOrdered(String topic) {
        for (int count = 1; count <= MOST_PARTITIONS; count++) {
            Set<TopicPartition> set = new HashSet<>();
            for (int p = 0; p < count; p++)
                set.add(new TopicPartition(topic, p));
            int expected = 0;
            for (TopicPartition partition : set)
                if (partition.partition() != expected++)
                    return false;
        }
        return true;
    }

    static void checkOrder(Set<String> names) {
        List<String> ascending = new ArrayList<>(names);
        Collections.sort(ascending);
        if (!ascending.equals(new ArrayList<>(names)))
            throw new IllegalStateException("the hash map does not hold the members in order");
    }

    /** Positions of the topics that each member reads, by id. */
    static TreeMap<Integer, int[]> members(String[] words) {
        TreeMap<Integer, int[]> members = new TreeMap<>();
        for (String word : Arrays.asList(words).subList(1, words.length)) {
            String[] parts = word.split(":");
            members.put(Integer.parseInt(parts[0]), numbers(parts[1].split(","), 0));
        }
        return members;
    }

    static int[] numbers(String[] words, int from) {
        return Arrays.stream(words).skip(from).mapToInt(Integer::parseInt).toArray();
    }

    static String text(int[] owners) {
        return IntStream.of(owners).mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }
}
