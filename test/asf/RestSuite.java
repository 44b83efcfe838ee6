package svc.asf;

import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.ignite.configuration.ClientConnectorConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.configuration.ThinClientConfiguration;
import org.apache.ignite.internal.processors.rest.JettyRestProcessorAuthenticationWithCredsSelfTest;
import org.apache.ignite.internal.processors.rest.JettyRestProcessorAuthenticationWithTokenSelfTest;
import org.apache.ignite.internal.processors.rest.JettyRestProcessorGetAllAsArrayTest;
import org.apache.ignite.internal.processors.rest.JettyRestProcessorSignedSelfTest;
import org.apache.ignite.internal.processors.rest.JettyRestProcessorUnsignedSelfTest;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs a class of Apache Ignite's own REST tests against a service in front of the nodes that the class starts.
 *
 * <p>System properties: {@code suite.class}, a key of {@link #CLASSES}; {@code suite.tests}, a regular expression of
 * the tests' names; {@code suite.results}, the file for one line per test ({@code passed|failed|ignored}, name,
 * milliseconds and the failure's text, separated by tabs); {@code suite.target}, the service's port; {@code
 * suite.clients} and {@code suite.http}, the nodes' first client port and first HTTP port.
 */
public class RestSuite {
  private static final Map<String, Class<?>> CLASSES = Map.of(
      "unsigned", Unsigned.class,
      "signed", Signed.class,
      "token", WithToken.class,
      "credentials", WithCredentials.class,
      "array", AsArray.class);
  private static final long SERVICE_LIMIT_MS = 90_000;

  public static class Unsigned extends JettyRestProcessorUnsignedSelfTest {
    @Override protected IgniteConfiguration getConfiguration(String name) throws Exception {
      return withClients(super.getConfiguration(name));
    }

    @Override protected int restPort() {
      return Integer.getInteger("suite.http");
    }

    @Override protected String restUrl() {
      return atService(super.restUrl());
    }

    @Override protected void beforeTestsStarted() throws Exception {
      super.beforeTestsStarted();
      awaitService();
    }
  }

  public static class Signed extends JettyRestProcessorSignedSelfTest {
    @Override protected IgniteConfiguration getConfiguration(String name) throws Exception {
      return withClients(super.getConfiguration(name));
    }

    @Override protected int restPort() {
      return isService() ? target() : Integer.getInteger("suite.http");
    }

    @Override protected String restUrl() {
      return atService(super.restUrl());
    }

    @Override protected void beforeTestsStarted() throws Exception {
      super.beforeTestsStarted();
      awaitService();
    }

    /** The test of requests without a signature asks for this port instead of the address. */
    private static boolean isService() {
      return StackWalker.getInstance().walk(
          frames -> frames.anyMatch(frame -> frame.getMethodName().equals("testUnauthorized")));
    }
  }

  public static class WithToken extends JettyRestProcessorAuthenticationWithTokenSelfTest {
    @Override protected IgniteConfiguration getConfiguration(String name) throws Exception {
      return withClients(super.getConfiguration(name));
    }

    @Override protected int restPort() {
      return Integer.getInteger("suite.http");
    }

    @Override protected String restUrl() {
      return atService(super.restUrl());
    }

    @Override protected void beforeTestsStarted() throws Exception {
      super.beforeTestsStarted();
      awaitService();
    }
  }

  public static class WithCredentials extends JettyRestProcessorAuthenticationWithCredsSelfTest {
    @Override protected IgniteConfiguration getConfiguration(String name) throws Exception {
      return withClients(super.getConfiguration(name));
    }

    @Override protected int restPort() {
      return Integer.getInteger("suite.http");
    }

    @Override protected String restUrl() {
      return atService(super.restUrl());
    }

    @Override protected void beforeTestsStarted() throws Exception {
      super.beforeTestsStarted();
      awaitService();
    }
  }

  public static class AsArray extends JettyRestProcessorGetAllAsArrayTest {
    @Override protected IgniteConfiguration getConfiguration(String name) throws Exception {
      return withClients(super.getConfiguration(name));
    }

    @Override protected int restPort() {
      return Integer.getInteger("suite.http");
    }

    @Override protected String restUrl() {
      return atService(super.restUrl());
    }

    @Override protected void beforeTestsStarted() throws Exception {
      super.beforeTestsStarted();
      awaitService();
    }
  }

  private static int target() {
    return Integer.getInteger("suite.target");
  }

  private static String atService(String url) {
    return url.replaceFirst(":[0-9]+/", ":" + target() + "/");
  }

  /** Lets clients run tasks, as the nodes' own HTTP interface may. */
  private static IgniteConfiguration withClients(IgniteConfiguration configuration) {
    return configuration.setClientConnectorConfiguration(new ClientConnectorConfiguration()
        .setHost("127.0.0.1")
        .setPort(Integer.getInteger("suite.clients"))
        .setThinClientConfiguration(new ThinClientConfiguration().setMaxActiveComputeTasksPerConnection(100)));
  }

  private static void awaitService() throws Exception {
    long deadline = System.currentTimeMillis() + SERVICE_LIMIT_MS;
    while (!isReady()) {
      if (System.currentTimeMillis() > deadline) throw new IllegalStateException("The service is not ready.");
      Thread.sleep(100);
    }
  }

  private static boolean isReady() {
    try {
      URL url = new URL("http://127.0.0.1:" + target() + "/health/ready");
      return ((HttpURLConnection)url.openConnection()).getResponseCode() == 200;
    } catch (IOException notListening) {
      return false;
    }
  }

  private static class Results extends RunListener {
    private final PrintWriter lines;
    private long startMs;
    private String failure;

    Results(PrintWriter lines) {
      this.lines = lines;
    }

    @Override public void testStarted(Description test) {
      startMs = System.currentTimeMillis();
      failure = null;
    }

    @Override public void testFailure(Failure failed) {
      String text = String.valueOf(failed.getException()).replaceAll("\\s+", " ");
      // A failure outside a test, for instance nodes that do not start.
      if (!failed.getDescription().isTest()) write("failed", failed.getDescription(), text);
      failure = text;
    }

    @Override public void testIgnored(Description test) {
      write("ignored", test, "");
    }

    @Override public void testFinished(Description test) {
      write(failure == null ? "passed" : "failed", test, failure == null ? "" : failure);
    }

    private void write(String outcome, Description test, String text) {
      String name = test.isTest() ? test.getMethodName() : "start of the nodes";
      lines.println(String.join("\t", outcome, name, String.valueOf(System.currentTimeMillis() - startMs), text));
      lines.flush();
    }
  }

  public static void main(String[] arguments) throws Exception {
    Pattern wanted = Pattern.compile(System.getProperty("suite.tests", ""));
    Request request = Request.aClass(CLASSES.get(System.getProperty("suite.class"))).filterWith(new Filter() {
      @Override public boolean shouldRun(Description test) {
        return test.isTest()
            ? wanted.matcher(test.getMethodName()).find()
            : test.getChildren().stream().anyMatch(this::shouldRun);
      }

      @Override public String describe() {
        return wanted.pattern();
      }
    });
    try (PrintWriter lines = new PrintWriter(new FileWriter(System.getProperty("suite.results")))) {
      JUnitCore runner = new JUnitCore();
      runner.addListener(new Results(lines));
      runner.run(request);
    }
    System.exit(0);
  }
}
