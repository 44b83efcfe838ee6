import { defineConfig } from '@svc-grid/svc';

export default defineConfig({
  httpStatus: true,
  errors: 'object',
  query: { defaultPageSize: 100 },
});
