/** The paths of files of Swagger UI that are imported with `type: 'file'`. */
declare module 'swagger-ui-dist/swagger-ui-bundle.js' {
  const path: string;
  export default path;
}

declare module 'swagger-ui-dist/swagger-ui.css' {
  const path: string;
  export default path;
}
