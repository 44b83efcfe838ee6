//! Puts, gets and selects with the client that openapi-generator made.
use openapi::apis::configuration::Configuration;
use openapi::apis::{entry_api, resource_api};
use openapi::models::PutRequest;
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let origin = std::env::args().nth(1).expect("the origin of the service");
    let client = Configuration { base_path: origin, ..Configuration::new() };

    let mut put = PutRequest::new(Some(json!("rust")), Some(json!(7)));
    put.value_type = Some("long".to_owned());
    let stored = entry_api::put(&client, put, None, None, None, Some("rust-1")).await.unwrap();
    assert_eq!(stored.response, Some(true));
    let found = entry_api::get(&client, "rust", None, None, None, None, None, None, None).await.unwrap();
    assert_eq!(found.response, Some(json!(7)));

    let red = Some(json!("red"));
    resource_api::put_entry(&client, "default", "rust/b", red, None, None, None, None, None, None, None).await.unwrap();
    let entry = resource_api::get_entry(&client, "default", "rust/b", None, None, None, None).await.unwrap();
    assert_eq!(entry, json!("red"));

    let row = [("name".to_owned(), json!("Bergen"))].into();
    resource_api::put_row(&client, "city", "6", row, None, None, None, None).await.unwrap();
    let found = resource_api::get_row(&client, "city", "6", None, None, None, None).await.unwrap();
    assert_eq!(found["NAME"], json!("Bergen"));
    println!("done");
}
