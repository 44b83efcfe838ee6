import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stores and reads values and objects, reads rows page by page and as lines. Argument: the endpoint. The JDK has no JSON,
 * so that this program looks for members by their names; yours uses the library of your choice.
 */
public class Client {
  static final HttpClient HTTP = HttpClient.newHttpClient();
  static final String SQL = "SELECT X FROM SYSTEM_RANGE(1, ?)";
  static String endpoint = "http://localhost:8080/svc";

  public static void main(String[] args) throws Exception {
    if (args.length > 0) endpoint = args[0];
    command("put", "{\"key\": \"colour\", \"val\": \"red\"}");
    System.out.println("get: " + member("response", command("get", "{\"key\": \"colour\"}")));

    command("put", "{\"key\": \"ann\", \"val\": {\"name\": \"Ann\", \"age\": 41}, \"valueType\": \"Person\"}");
    System.out.println("object: " + member("name", command("get", "{\"key\": \"ann\"}")));

    List<String> rows = new ArrayList<>();
    String page = command("qryfldexe", "{\"qry\": \"" + SQL + "\", \"args\": [5], \"pageSize\": 2}");
    String cursor = member("queryId", page);
    while (true) {
      Matcher row = Pattern.compile("\\[(\\d+)]").matcher(page);
      while (row.find()) rows.add(row.group(1));
      if (member("last", page).equals("true")) break;
      page = command("qryfetch", "{\"qryId\": " + cursor + ", \"pageSize\": 2}");
    }
    System.out.println("rows: " + String.join(" ", rows));

    HttpRequest select = request("qryfldexe", "{\"qry\": \"" + SQL + "\", \"args\": [1000], \"pageSize\": 1000}")
        .header("Accept", "application/x-ndjson").build();
    System.out.println("lines: " + HTTP.send(select, HttpResponse.BodyHandlers.ofLines()).body().count());
  }

  static HttpRequest.Builder request(String name, String json) {
    return HttpRequest.newBuilder(URI.create(endpoint + "/" + name + "?httpStatus=true")).header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(json));
  }

  static String command(String name, String json) throws Exception {
    HttpResponse<String> answer = HTTP.send(request(name, json).build(), HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200)
      throw new IllegalStateException(answer.headers().firstValue("Error-Code").orElse("") + ": " + answer.body());
    return answer.body();
  }

  static String member(String name, String json) {
    Matcher found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
    if (!found.find()) throw new IllegalStateException("no " + name + " in " + json);
    return found.group(1);
  }
}
