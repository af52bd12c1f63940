/** Places in which the server marks a form's wrong fields (`src/http/template.rs`). */
export const serverMark = (field: string) => ({
  // No boolean until the server has put `true` or `false` in its place.
  invalid: `{{${field}_invalid}}` as unknown as boolean,
  errorId: `{{${field}_described}}`,
});
