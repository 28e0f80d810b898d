package groupscale;

import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.rmi.server.RMISocketFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import javax.management.Attribute;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads MBeans of running brokers, and prints what they say.
 *
 * <p>Arguments: a password file and an access file of JMX, as the brokers read them. Lines of the
 * input, with tabs: {@code read PATTERN ATTRIBUTE} or {@code read PATTERN ATTRIBUTE*ATTRIBUTE};
 * {@code go MILLISECONDS}; and at any time {@code broker ID PID PORT} and {@code forget ID}. From
 * {@code go} on it prints a line per broker and period: time of the monotonic clock in ns, id, and
 * the reads in order, and a line with a dot after them. A read is the sum over all MBeans that
 * match. A broker that does not answer has {@code !} and the reason instead. It ends when its input
 * does.
 *
 * <p>A broker that has no JMX port yet opens one on the loopback address, for this password.
 */
public final class BrokerReader {
    private static final String HOST = "127.0.0.1";

    private record Read(String pattern, String[] factors) {
    }

    private static final class Broker {
        final String id;
        final String pid;
        final String port;
        MBeanServerConnection beans;

        Broker(String[] words) {
            id = words[1];
            pid = words[2];
            port = words[3];
        }
    }

    private BrokerReader() {
    }

    public static void main(String[] args) throws Exception {
        RMISocketFactory.setSocketFactory(new LoopbackOnly());
        String[] login = Files.readString(Path.of(args[0])).strip().split(" ", 2);
        Properties agent = new Properties();
        agent.put("com.sun.management.jmxremote.host", HOST);
        agent.put("com.sun.management.jmxremote.ssl", "false");
        agent.put("com.sun.management.jmxremote.registry.ssl", "false");
        agent.put("com.sun.management.jmxremote.authenticate", "true");
        agent.put("com.sun.management.jmxremote.password.file", args[0]);
        agent.put("com.sun.management.jmxremote.access.file", args[1]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        Map<String, Broker> brokers = new ConcurrentSkipListMap<>();
        List<Read> reads = new ArrayList<>();
        long period = 0;
        while (period == 0) {
            String line = input.readLine();
            if (line == null) {
                return;
            }
            String[] words = line.split("\t");
            switch (words[0]) {
                case "read" -> reads.add(new Read(words[1], words[2].split("\\*")));
                case "go" -> period = Long.parseLong(words[1]);
                default -> change(brokers, words);
            }
        }
        follow(input, brokers);
        for (long due = System.nanoTime();; due += period * 1_000_000L) {
            Thread.sleep(Math.max((due - System.nanoTime()) / 1_000_000L, 0L));
            for (Broker broker : brokers.values()) {
                System.out.println(line(broker, reads, agent, login));
            }
            System.out.println(".");
            System.out.flush();
        }
    }

    private static void change(Map<String, Broker> brokers, String[] words) {
        if (words[0].equals("broker")) {
            brokers.put(words[1], new Broker(words));
        } else {
            brokers.remove(words[1]);
        }
    }

    private static void follow(BufferedReader input, Map<String, Broker> brokers) {
        Thread following = new Thread(() -> {
            try {
                for (String line = input.readLine(); line != null; line = input.readLine()) {
                    change(brokers, line.split("\t"));
                }
            } catch (IOException error) {
                System.err.println(error);
            }
            Runtime.getRuntime().halt(0);
        });
        following.setDaemon(true);
        following.start();
    }

    private static String line(Broker broker, List<Read> reads, Properties agent, String[] login) {
        try {
            if (broker.beans == null) {
                broker.beans = connected(broker, agent, login);
            }
            StringBuilder line = new StringBuilder();
            Map<String, List<Map<String, Double>>> seen = new HashMap<>();
            for (Read read : reads) {
                if (!seen.containsKey(read.pattern)) {
                    seen.put(read.pattern, values(broker.beans, read.pattern, reads));
                }
                double sum = 0.0;
                for (Map<String, Double> bean : seen.get(read.pattern)) {
                    double product = 1.0;
                    for (String factor : read.factors) {
                        product *= bean.get(factor);
                    }
                    sum += product;
                }
                line.append('\t').append(sum);
            }
            return System.nanoTime() + "\t" + broker.id + line;
        } catch (Exception error) {
            broker.beans = null;
            String reason = String.valueOf(error.getMessage()).replaceAll("\\s+", " ");
            return System.nanoTime() + "\t" + broker.id + "\t!\t"
                + error.getClass().getSimpleName() + ": " + reason;
        }
    }

    /** Attributes of all MBeans that match a pattern. */
    private static List<Map<String, Double>> values(
        MBeanServerConnection beans, String pattern, List<Read> reads) throws Exception {
        Map<String, Boolean> names = new LinkedHashMap<>();
        for (Read read : reads) {
            if (read.pattern.equals(pattern)) {
                for (String factor : read.factors) {
                    names.put(factor, true);
                }
            }
        }
        ObjectName name = new ObjectName(pattern);
        Set<ObjectName> matching = name.isPattern() ? beans.queryNames(name, null) : Set.of(name);
        List<Map<String, Double>> rows = new ArrayList<>();
        for (ObjectName each : matching) {
            Map<String, Double> row = new HashMap<>();
            for (Object value : beans.getAttributes(each, names.keySet().toArray(new String[0]))) {
                Attribute attribute = (Attribute) value;
                row.put(attribute.getName(), ((Number) attribute.getValue()).doubleValue());
            }
            rows.add(row);
        }
        return rows;
    }

    private static MBeanServerConnection connected(
        Broker broker, Properties agent, String[] login) throws Exception {
        String place = HOST + ":" + broker.port;
        JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + place + "/jmxrmi");
        Map<String, Object> environment = Map.of(JMXConnector.CREDENTIALS, login);
        try {
            return JMXConnectorFactory.connect(url, environment).getMBeanServerConnection();
        } catch (IOException closed) {
            open(broker, agent);
            return JMXConnectorFactory.connect(url, environment).getMBeanServerConnection();
        }
    }

    /** Let a broker open its port; the system lets only its own user do that. */
    private static void open(Broker broker, Properties agent) throws Exception {
        Properties own = new Properties();
        own.putAll(agent);
        own.put("com.sun.management.jmxremote.port", broker.port);
        own.put("com.sun.management.jmxremote.rmi.port", broker.port);
        VirtualMachine machine = VirtualMachine.attach(broker.pid);
        try {
            machine.startManagementAgent(own);
        } finally {
            machine.detach();
        }
    }

    /** Brokers name themselves by the name of their machine, but listen on loopback alone. */
    private static final class LoopbackOnly extends RMISocketFactory {
        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return new Socket(HOST, port);
        }

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            return new ServerSocket(port, 0, InetAddress.getByName(HOST));
        }
    }
}
