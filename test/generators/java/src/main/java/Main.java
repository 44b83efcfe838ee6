import java.util.List;
import svc.api.EntryApi;
import svc.api.QueryApi;
import svc.api.ResourceApi;
import svc.client.ApiClient;
import svc.model.CITYRow;
import svc.model.PutRequest;
import svc.model.QryfldexeRequest;

/** Puts, gets and selects with the client that openapi-generator made. */
public class Main {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    EntryApi entries = new EntryApi(client);
    PutRequest put = new PutRequest().key("java").val(7L).valueType("long");
    check(true, entries.put(put, null, null, null, "java-1").getResponse());
    check(7, entries.get("java", null, null, null, null, null, null, null).getResponse());
    QryfldexeRequest select = new QryfldexeRequest().qry("SELECT ? + 1").pageSize(10L).args(List.of(41));
    check(List.of(List.of(42)), new QueryApi(client).qryfldexe(select, null, null, null, null).getResponse().getItems());
    ResourceApi resources = new ResourceApi(client);
    resources.putEntry("default", "a/b", List.of("red"), null, null, null, null, null, null, null);
    check(List.of("red"), resources.getEntry("default", "a/b", null, null, null, null));
    resources.postRowsOfCITY(List.of(new CITYRow().ID(3L).NAME("Rome")), null, null);
    check("Rome", resources.getRowOfCITY("3", null, null, null, null).getNAME());
    System.out.println("done");
  }

  private static void check(Object expected, Object actual) {
    if (!expected.equals(actual)) throw new AssertionError(actual + " instead of " + expected);
  }
}
