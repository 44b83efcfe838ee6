import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends commands with java.net.http: both methods, and many requests at once. Argument: the endpoint. */
public class HttpClientTest {
  private static final String TEXT = "é€ + & = %";
  private static final int REQUESTS = 200;

  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    HttpClient client = HttpClient.newHttpClient();
    String query = "cmd=put&key=java&val=" + URLEncoder.encode(TEXT, StandardCharsets.UTF_8);
    expect(send(client, HttpRequest.newBuilder(URI.create(url + "?" + query)).GET()), "\"response\":true");
    HttpRequest.Builder form = HttpRequest.newBuilder(URI.create(url))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString("cmd=get&key=java"));
    expect(send(client, form), "\"response\":\"" + TEXT + "\"");
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int index = 0; index < REQUESTS; index++) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url + "?cmd=incr&key=java-counter&delta=1")).build();
      answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)));
    }
    for (CompletableFuture<HttpResponse<String>> answer : answers) expect(answer.get().body(), "\"successStatus\":0");
    HttpRequest.Builder last = HttpRequest.newBuilder(URI.create(url + "?cmd=incr&key=java-counter&delta=0"));
    expect(send(client, last), "\"response\":" + REQUESTS);
    System.out.println("done");
  }

  private static String send(HttpClient client, HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)).body();
  }

  private static void expect(String answer, String part) {
    if (!answer.contains(part)) throw new AssertionError(answer + " does not contain " + part);
  }
}
