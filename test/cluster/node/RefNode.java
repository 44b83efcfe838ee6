import java.nio.file.Path;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.ignite.Ignite;
import org.apache.ignite.IgniteCache;
import org.apache.ignite.Ignition;
import org.apache.ignite.cache.CacheAtomicityMode;
import org.apache.ignite.cache.CacheKeyConfiguration;
import org.apache.ignite.cache.CacheMode;
import org.apache.ignite.cache.CacheWriteSynchronizationMode;
import org.apache.ignite.cache.QueryEntity;
import org.apache.ignite.cache.QueryIndex;
import org.apache.ignite.cache.query.annotations.QuerySqlField;
import org.apache.ignite.cluster.ClusterState;
import org.apache.ignite.compute.ComputeJob;
import org.apache.ignite.compute.ComputeJobAdapter;
import org.apache.ignite.compute.ComputeJobResult;
import org.apache.ignite.compute.ComputeTaskSplitAdapter;
import org.apache.ignite.configuration.AtomicConfiguration;
import org.apache.ignite.configuration.CacheConfiguration;
import org.apache.ignite.configuration.ClientConnectorConfiguration;
import org.apache.ignite.configuration.ConnectorConfiguration;
import org.apache.ignite.configuration.DataRegionConfiguration;
import org.apache.ignite.configuration.DataStorageConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.configuration.ThinClientConfiguration;
import org.apache.ignite.configuration.WALMode;
import org.apache.ignite.lang.IgniteBiPredicate;
import org.apache.ignite.spi.communication.tcp.TcpCommunicationSpi;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;
import org.apache.ignite.ssl.SslContextFactory;

/**
 * A node of a cluster for tests and trials, on loopback. Everything is set by system properties: node.ports
 * (discovery, communication, client, binary, HTTP), node.peers (discovery addresses), node.name, node.work, and
 * node.persistent, node.authentication, node.backups, node.tasks, node.keystore; node.empty leaves out the caches of
 * the tests, node.shapes adds one with values of many classes. With node.clientHost it listens for clients on another
 * loopback address than it reports. The class has the name that the recorded cases use.
 */
public class RefNode {
    /** A value with SQL columns. */
    public static class Person {
        @QuerySqlField(index = true)
        public int id;

        @QuerySqlField
        public String name;

        @QuerySqlField(index = true)
        public double salary;

        public Person() {
        }

        Person(int id, String name, double salary) {
            this.id = id;
            this.name = name;
            this.salary = salary;
        }
    }

    /** A key of two fields, the first of which decides the partition in the cache {@code seats}. */
    public static class SeatKey {
        @org.apache.ignite.cache.affinity.AffinityKeyMapped
        public int row;

        public String seat;
    }

    /** Adds the lengths of the words of its argument, one job for each word. */
    public static class LenTask extends ComputeTaskSplitAdapter<String, Integer> {
        @Override protected Collection<? extends ComputeJob> split(int gridSize, String words) {
            List<ComputeJob> jobs = new ArrayList<>();
            if (words == null)
                return jobs;
            for (String word : words.split(" ")) {
                jobs.add(new ComputeJobAdapter() {
                    @Override public Object execute() {
                        return word.length();
                    }
                });
            }
            return jobs;
        }

        @Override public Integer reduce(List<ComputeJobResult> results) {
            return results.stream().mapToInt(each -> each.<Integer>getData()).sum();
        }
    }

    /** Waits for as many milliseconds as its argument says, then gives the argument back. */
    public static class SleepTask extends ComputeTaskSplitAdapter<String, String> {
        @Override protected Collection<? extends ComputeJob> split(int gridSize, String milliseconds) {
            return List.of(new ComputeJobAdapter() {
                @Override public Object execute() {
                    try {
                        Thread.sleep(Long.parseLong(milliseconds));
                    }
                    catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return milliseconds;
                }
            });
        }

        @Override public String reduce(List<ComputeJobResult> results) {
            return results.get(0).getData();
        }
    }

    /** Keeps entries with an integer key greater than 1. */
    public static class ScanFilter implements IgniteBiPredicate<Object, Object> {
        @Override public boolean apply(Object key, Object value) {
            return key instanceof Integer && (Integer)key > 1;
        }
    }

    /** A filter that reads a field, so it needs instances of the class. */
    public static class SalaryFilter implements IgniteBiPredicate<Integer, Person> {
        @Override public boolean apply(Integer key, Person value) {
            return value.salary > 2000;
        }
    }

    private static IgniteConfiguration configuration() {
        int[] ports = Arrays.stream(System.getProperty("node.ports").split(",")).mapToInt(Integer::parseInt).toArray();
        boolean persistent = Boolean.getBoolean("node.persistent") || Boolean.getBoolean("node.authentication");
        IgniteConfiguration node = new IgniteConfiguration();
        node.setIgniteInstanceName(System.getProperty("node.name"));
        node.setConsistentId(System.getProperty("node.name"));
        node.setLocalHost("127.0.0.1");
        node.setWorkDirectory(Path.of(System.getProperty("node.work")).toAbsolutePath().toString());
        node.setAuthenticationEnabled(Boolean.getBoolean("node.authentication"));
        node.setFailureDetectionTimeout(Long.getLong("node.failureDetection", 4_000));
        node.setMetricsLogFrequency(0);

        TcpDiscoverySpi discovery = new TcpDiscoverySpi();
        discovery.setLocalPort(ports[0]);
        discovery.setLocalPortRange(0);
        discovery.setIpFinder(new TcpDiscoveryVmIpFinder().setAddresses(
            List.of(System.getProperty("node.peers").split(","))));
        node.setDiscoverySpi(discovery);

        TcpCommunicationSpi communication = new TcpCommunicationSpi();
        communication.setLocalPort(ports[1]);
        communication.setLocalPortRange(0);
        node.setCommunicationSpi(communication);

        ClientConnectorConfiguration clients = new ClientConnectorConfiguration()
            .setHost(System.getProperty("node.clientHost", "127.0.0.1"))
            .setPort(ports[2])
            .setPortRange(0);
        int tasks = Integer.getInteger("node.tasks", 100);
        clients.setThinClientConfiguration(new ThinClientConfiguration().setMaxActiveComputeTasksPerConnection(tasks));
        String keystore = System.getProperty("node.keystore");
        if (keystore != null) {
            SslContextFactory factory = new SslContextFactory();
            factory.setKeyStoreFilePath(keystore);
            factory.setKeyStorePassword("password".toCharArray());
            factory.setTrustManagers(SslContextFactory.getDisabledTrustManager());
            clients.setSslEnabled(true).setUseIgniteSslContextFactory(false).setSslContextFactory(factory);
        }
        node.setClientConnectorConfiguration(clients);

        node.setConnectorConfiguration(new ConnectorConfiguration().setPort(ports[3]));
        System.setProperty("IGNITE_JETTY_HOST", "127.0.0.1");
        System.setProperty("IGNITE_JETTY_PORT", String.valueOf(ports[4]));

        // A counter has one backup by default.
        node.setAtomicConfiguration(new AtomicConfiguration()
            .setBackups(Math.max(AtomicConfiguration.DFLT_BACKUPS, Integer.getInteger("node.backups", 0))));

        node.setDataStorageConfiguration(new DataStorageConfiguration()
            .setWalMode(WALMode.valueOf(System.getProperty("node.walMode", "LOG_ONLY")))
            .setDefaultDataRegionConfiguration(new DataRegionConfiguration()
                .setName("default")
                .setInitialSize(64L << 20)
                .setMaxSize(Long.getLong("node.regionMegabytes", 256) << 20)
                .setPersistenceEnabled(persistent)
                .setMetricsEnabled(true)));
        if (Boolean.getBoolean("node.primaryReads"))
            node.setCacheConfiguration(primaryReads());
        else if (!Boolean.getBoolean("node.empty"))
            node.setCacheConfiguration(caches());
        return node;
    }

    /** The template `primary` of caches whose backups answer no reads, which no statement can set. */
    private static CacheConfiguration<?, ?> primaryReads() {
        return new CacheConfiguration<>("primary*")
            .setAtomicityMode(CacheAtomicityMode.TRANSACTIONAL)
            .setWriteSynchronizationMode(CacheWriteSynchronizationMode.FULL_SYNC)
            .setBackups(Integer.getInteger("node.backups", 0))
            .setReadFromBackup(false);
    }

    private static CacheConfiguration<?, ?>[] caches() {
        int backups = Integer.getInteger("node.backups", 0);
        CacheConfiguration<Object, Object> plain = new CacheConfiguration<>("default");
        plain.setStatisticsEnabled(true).setBackups(backups).setAtomicityMode(CacheAtomicityMode.ATOMIC);

        CacheConfiguration<Integer, Person> person = new CacheConfiguration<>("person");
        person.setIndexedTypes(Integer.class, Person.class).setStatisticsEnabled(true).setBackups(backups);

        LinkedHashMap<String, String> fields = new LinkedHashMap<>();
        fields.put("id", Integer.class.getName());
        fields.put("name", String.class.getName());
        fields.put("timestamp", Timestamp.class.getName());
        fields.put("longs", "long[]");
        fields.put("igniteUuid", "org.apache.ignite.lang.IgniteUuid");
        QueryEntity entity = new QueryEntity(Integer.class.getName(), "Employee");
        entity.setFields(fields).setIndexes(List.of(new QueryIndex("name")));
        CacheConfiguration<Integer, Object> employee = new CacheConfiguration<>("employee");
        employee.setQueryEntities(List.of(entity)).setBackups(backups);

        CacheConfiguration<Object, Object> copied = new CacheConfiguration<>("copied");
        copied.setCacheMode(CacheMode.REPLICATED);

        CacheConfiguration<SeatKey, Object> seats = new CacheConfiguration<>("seats");
        seats.setBackups(backups).setKeyConfiguration(new CacheKeyConfiguration(SeatKey.class.getName(), "row"));
        return new CacheConfiguration<?, ?>[] {plain, person, employee, copied, seats};
    }

    public static void main(String[] args) {
        Ignite ignite = Ignition.start(configuration());
        boolean waits = Boolean.getBoolean("node.persistent") || Boolean.getBoolean("node.authentication");
        if (waits && Boolean.getBoolean("node.activates"))
            ignite.cluster().state(ClusterState.ACTIVE);
        if (Boolean.getBoolean("node.fills")) {
            IgniteCache<Integer, Person> people = ignite.cache("person");
            if (Boolean.getBoolean("node.shapes"))
                Shapes.fill(ignite);
            Map.of(1, "Ann", 2, "Bob", 3, "Cy", 4, "Di").forEach((id, name) -> people.put(id, new Person(id, name, 1000.0 * id)));
        }
        System.out.println("READY");
    }
}
