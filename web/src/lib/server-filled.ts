/** The places in which the server puts a field's words back and marks it (`src/http/site/template.rs`). */
export const serverFilled = (field: string, place = field) => ({
  defaultValue: `{{${place}}}`,
  // No boolean until the server has put `true` or `false` in its place.
  invalid: `{{${field}_invalid}}` as unknown as boolean,
  errorId: `{{${field}_described}}`,
});
