/** Returns the schema name under which a query connection attaches the file of a non-persistent region. */
export function attachedName(database: number): string {
  return `r${database}`;
}
