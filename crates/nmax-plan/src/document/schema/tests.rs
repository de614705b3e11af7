use super::*;
use crate::document::keys::Key;

/// Every table reachable from the root, by an independent walk, appears in the schema with exactly its keys.
#[test]
fn the_schema_has_exactly_the_keys_of_the_decoder() {
    fn walk_shape(shape: &Shape, schema: &Value) {
        match shape {
            Shape::Object(table) => walk(table, schema),
            Shape::List(item) => walk_shape(item, &schema["items"]),
            Shape::Map(value) => walk_shape(value, &schema["additionalProperties"]),
            Shape::Either(shapes) => shapes
                .iter()
                .zip(schema["anyOf"].as_array().unwrap())
                .for_each(|(shape, schema)| walk_shape(shape, schema)),
            _ => {}
        }
    }
    fn walk(table: &Table, schema: &Value) {
        let in_schema: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let in_table: Vec<&str> = table.keys.iter().map(|key| key.name).collect();
        assert_eq!(in_schema, in_table, "{}", table.what);
        assert_eq!(schema["additionalProperties"], Value::Bool(false));
        for Key { name, shape, .. } in table.keys {
            walk_shape(shape, &schema["properties"][name]);
        }
        for (later, _) in table.later {
            assert!(!in_table.contains(later), "`{later}` of {} is both known and later", table.what);
        }
    }
    let schema = schema();
    walk(&ROOT, &schema);
    walk(&STEP, &schema["$defs"]["step"]);
    walk(&DECISION, &schema["$defs"]["condition"]["anyOf"][1]);
}
