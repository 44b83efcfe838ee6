/**
 * A complete configuration of svc. Every member is optional; docs/configuration.md explains each part. Copy what you
 * need next to where you start svc, or name this file with --config.
 */
import { defineConfig, type TaskFunction } from 'svc';

/** A custom type: clients send and receive it as JSON with `valueType=Customer`. */
const Customer = { id: 'long', name: 'string', since: 'date' } as const;

/** A task runs in a separate process: `cmd=exe&name=greet&p1=Ann`. */
const greet: TaskFunction = (argument) => `Good morning, ${argument}`;

export default defineConfig({
  // Options: each is also a variable (SVC_HTTP_PORT) and a flag (--http-port). `svc config show` lists them all.
  dataDir: './data',
  // Failures have the HTTP status of their error, and an object with a code. Leave both out for clients of Apache
  // Ignite.
  httpStatus: true,
  errors: 'object',
  http: {
    host: 'localhost',
    port: 8080,
    // HTTPS: paths are relative to this file.
    // tls: { cert: './server.crt', key: './server.key', ca: './clients.crt', clientCertificates: 'optional' },
  },
  query: { timeout: 30 },
  log: { level: 'info' },

  // Users of a new data folder; afterwards the commands adduser, updateuser and removeuser manage them. Passwords come
  // from the environment, so that this file can be shared.
  authentication: true,
  users: [
    { name: 'ann', password: process.env.ANN_PASSWORD ?? 'change-me' },
    { name: 'reports', password: process.env.REPORTS_PASSWORD ?? 'change-me-too' },
  ],
  // Users by the subject of their client certificate. Needs http.tls.ca.
  certificateUsers: { 'CN=reports,O=Example': 'reports' },
  permissions: {
    roles: {
      clerk: { caches: { customers: 'all', orders: 'all' }, counters: ['visits'], tasks: ['greet'] },
      reader: { caches: { customers: 'read', orders: 'read' } },
    },
    users: { ann: ['clerk'], reports: ['reader'] },
    // Users without an entry have these roles.
    others: [],
  },

  // Regions: where caches are stored. Entries of a region that does not persist are gone after a stop.
  regions: [{ name: 'sessions', persistent: false, maxSizeBytes: 64 * 1024 * 1024 }],
  // Templates: defaults for caches that clients create with `templateName`.
  templates: [{ name: 'shared', mode: 'REPLICATED' }],
  // Types whose JSON becomes an instance with these fields.
  classes: { Customer },
  caches: [
    // A cache with a query entity is also an SQL table.
    {
      name: 'orders',
      entities: [
        {
          keyType: 'long',
          valueType: 'Order',
          tableName: 'Orders',
          keyFields: ['id'],
          fields: { id: 'long', customer: { type: 'long', notNull: true }, total: 'decimal' },
          indexes: ['customer'],
        },
      ],
    },
    // Seeds: entries of a cache that a startup finds empty.
    {
      name: 'customers',
      entries: [{ key: 1, keyType: 'long', value: { id: 1, name: 'Ann', since: '2024-01-31' }, valueType: 'Customer' }],
    },
    { name: 'tokens', region: 'sessions' },
  ],

  tasks: { greet },
  // Predicates of scans: `cmd=qryscanexe&cacheName=customers&className=KnownCustomer`.
  scanPredicates: { KnownCustomer: (_key, value) => value.type === 'object' },
  // Sees each key and value on its way in and out.
  interceptor: { onReceive: (value) => value, onSend: (value) => value },
});
