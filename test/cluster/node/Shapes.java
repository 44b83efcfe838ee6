import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.ignite.Ignite;
import org.apache.ignite.IgniteCache;
import org.apache.ignite.compute.ComputeJob;
import org.apache.ignite.compute.ComputeJobAdapter;
import org.apache.ignite.compute.ComputeJobResult;
import org.apache.ignite.compute.ComputeTaskSplitAdapter;
import org.apache.ignite.internal.util.typedef.T2;
import org.apache.ignite.lang.IgniteBiTuple;
import org.apache.ignite.lang.IgniteUuid;
import org.apache.ignite.resources.IgniteInstanceResource;

/** Values of many classes of Java, as programs inside the nodes store them. */
public class Shapes {
    /** A class that nobody stored before a client names it: fields of every kind. */
    public static class Plain {
        private long id;
        private String name;
        private Double rate;
        private int count;
        private boolean ready;
        private List<String> tags;
        private int[] numbers;
        private BigDecimal price;
        private Date when;
        private Timestamp stamp;
        private UUID key;
        private Map<String, Integer> more;

        public long getId() { return id; }
        public void setId(long id) { this.id = id; }
        public String getName() { return name; }
        public void setName(String name) { this.name = name; }
        public Double getRate() { return rate; }
        public void setRate(Double rate) { this.rate = rate; }
        public int getCount() { return count; }
        public void setCount(int count) { this.count = count; }
        public boolean isReady() { return ready; }
        public void setReady(boolean ready) { this.ready = ready; }
        public List<String> getTags() { return tags; }
        public void setTags(List<String> tags) { this.tags = tags; }
        public int[] getNumbers() { return numbers; }
        public void setNumbers(int[] numbers) { this.numbers = numbers; }
        public BigDecimal getPrice() { return price; }
        public void setPrice(BigDecimal price) { this.price = price; }
        public Date getWhen() { return when; }
        public void setWhen(Date when) { this.when = when; }
        public Timestamp getStamp() { return stamp; }
        public void setStamp(Timestamp stamp) { this.stamp = stamp; }
        public UUID getKey() { return key; }
        public void setKey(UUID key) { this.key = key; }
        public Map<String, Integer> getMore() { return more; }
        public void setMore(Map<String, Integer> more) { this.more = more; }

        @Override public String toString() {
            return "Plain " + id + ' ' + name + ' ' + rate + ' ' + count + ' ' + ready + ' ' + tags + ' ' +
                Arrays.toString(numbers) + ' ' + price + ' ' + when + ' ' + stamp + ' ' + key + ' ' + more;
        }
    }

    /** Constants. */
    public enum Color { RED, GREEN }

    /** Fields of every visibility. */
    public static class Mixed {
        public int id = 1;
        public String name = "Test";
        public java.sql.Date birthday = java.sql.Date.valueOf("1977-01-26");
        public double salary = 1000.55;
        public transient Object gone = new Object();
        private int age = 39;
        protected String post = "CIO";
        private Integer bonus = 25;

        public Integer getBonus() { return bonus; }
        protected String getPost() { return post; }
    }

    /** Holds another object, an enum, and itself in a list. */
    public static class Outer {
        public long id = -1;
        public Plain inner = new Plain();
        public Color color = Color.GREEN;
        public List<Object> list = new ArrayList<>(Arrays.asList(1, "a", null, new Date(0)));
        public Object[] array = {1, "b", null};
        public byte[] bytes = {1, 2, 3};
        public char letter = 'c';
        public Map<Object, Object> map = new LinkedHashMap<>(Map.of(1, "one"));
        public BigInteger big = BigInteger.TEN;
        public IgniteUuid gridId = IgniteUuid.fromString("a-123e4567-e89b-12d3-a456-426614174000");
    }

    /** A class that only fields of other classes name. */
    public static class Part {
        private int id;
        private String name;
        private Timestamp stamp;
        private Part next;

        public int getId() { return id; }
        public void setId(int id) { this.id = id; }
        public String getName() { return name; }
        public void setName(String name) { this.name = name; }
        public Timestamp getStamp() { return stamp; }
        public void setStamp(Timestamp stamp) { this.stamp = stamp; }
        public Part getNext() { return next; }
        public void setNext(Part next) { this.next = next; }

        @Override public String toString() {
            return "Part " + id + ' ' + name + ' ' + stamp + " (" + next + ')';
        }
    }

    /** Fields that are null in a new instance, so that only their declarations tell their classes. */
    public static class Whole {
        public Part part;
        public Part[] parts;
        public Color color;
        public Integer[] numbers;
        public HashMap<String, Integer> map;
        public java.util.HashSet<Integer> set;
        public ArrayList<Integer> list;
        public java.sql.Date day;
        public Date when;
        public Time time;
        public byte[] bytes;
        public char[] chars;
        public IgniteUuid grid;
        public Object any;
        public BigInteger big;

        @Override public String toString() {
            return "Whole " + part + ' ' + Arrays.toString(parts) + ' ' + color + ' ' + Arrays.toString(numbers) + ' ' +
                map + ' ' + set + ' ' + list + ' ' + day + ' ' + when + ' ' + time + ' ' + Arrays.toString(bytes) + ' ' +
                Arrays.toString(chars) + ' ' + grid + ' ' + any + ' ' + big;
        }
    }

    /** Writes itself. */
    public static class Own implements Externalizable {
        public int number = 5;

        @Override public void writeExternal(ObjectOutput out) throws IOException { out.writeInt(number); }
        @Override public void readExternal(ObjectInput in) throws IOException { number = in.readInt(); }
    }

    /** Shows the value of a key, a text, of a cache, as Java has it. Argument: cache and key with a colon between. */
    public static class DescribeTask extends ComputeTaskSplitAdapter<String, String> {
        @Override protected Collection<? extends ComputeJob> split(int gridSize, String place) {
            return List.of(new ComputeJobAdapter() {
                @IgniteInstanceResource
                private transient Ignite ignite;

                @Override public Object execute() {
                    int colon = place.indexOf(':');
                    Object value = ignite.cache(place.substring(0, colon)).get(place.substring(colon + 1));
                    return value == null ? "null" : value.getClass().getName() + ' ' + describe(value);
                }
            });
        }

        @Override public String reduce(List<ComputeJobResult> results) {
            return results.get(0).getData();
        }

        private static String describe(Object value) {
            return value.getClass().isArray() ? Arrays.deepToString(new Object[] {value}) : String.valueOf(value);
        }
    }

    static void fill(Ignite ignite) {
        IgniteCache<Object, Object> cache = ignite.getOrCreateCache("shapes");
        Map<Object, Object> nullKey = new HashMap<>();
        nullKey.put(null, null);
        nullKey.put("key", "value");
        Map<Object, Object> nullValue = new HashMap<>();
        nullValue.put(null, "value");
        nullValue.put("key", null);
        UUID uuid = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");
        Map<Object, Object> keys = new LinkedHashMap<>();
        keys.put(1, "int");
        keys.put(2L, "long");
        keys.put(1.5, "double");
        keys.put(true, "boolean");
        keys.put(uuid, "uuid");
        keys.put(java.sql.Date.valueOf("2018-01-02"), "date");
        keys.put(Timestamp.valueOf("2018-01-02 03:04:05.6"), "timestamp");
        keys.put(Color.RED, "enum");
        cache.put("map null key", nullKey);
        cache.put("map null value", nullValue);
        cache.put("map of many keys", keys);
        cache.put("tree map", new TreeMap<>(Map.of("b", 1, "a", 2)));
        cache.put("T2", new T2<>("key", "value"));
        cache.put("tuple", new IgniteBiTuple<>("key", 5));
        cache.put("mixed", new Mixed());
        cache.put("outer", new Outer());
        cache.put("own", new Own());
        cache.put("enum", Color.GREEN);
        cache.put("util date", new Date(1_514_862_245_678L));
        cache.put("sql date", java.sql.Date.valueOf("2018-01-02"));
        cache.put("time", Time.valueOf("10:11:12"));
        cache.put("timestamp", Timestamp.valueOf("2018-01-02 03:04:05.678"));
        cache.put("uuid", uuid);
        cache.put("grid uuid", IgniteUuid.fromUuid(uuid));
        cache.put("linked list", new LinkedList<>(List.of(1, 2)));
        cache.put("set", new LinkedHashSet<>(List.of("x", "y")));
        cache.put("singleton", Collections.singletonList("one"));
        cache.put("list of", List.of("one", "two"));
        cache.put("map of", Map.of("one", 1));
        cache.put("empty list", Collections.emptyList());
        cache.put("as list", Arrays.asList(1, 2));
        cache.put("objects", new Object[] {1, "a", null, uuid});
        cache.put("ints", new int[] {1, 2});
        cache.put("texts", new String[] {"a", null});
        cache.put("enums", new Color[] {Color.RED, null});
        cache.put("mixes", new Mixed[] {new Mixed()});
        cache.put("char", 'c');
        cache.put("decimal", new BigDecimal("1.50"));
        cache.put("big", BigInteger.TWO.pow(80));
        cache.put("nan", Double.NaN);
        cache.put("float", 1.1f);
        cache.put("class", String.class);
        cache.put("local date", java.time.LocalDate.of(2020, 2, 3));
        cache.put("local time", java.time.LocalDateTime.of(2020, 2, 3, 4, 5, 6));
        cache.put("exception", new IllegalStateException("message"));
    }
}
