import { expect } from 'bun:test';
import { commandCases, failsWith } from '../../../test/test-service.ts';

const described = (more: Readonly<Record<string, unknown>>) => ({
  id: expect.any(String),
  name: 'a',
  user: null,
  shared: true,
  changeable: true,
  revision: 1,
  createdAt: expect.any(String),
  changedAt: expect.any(String),
  changedBy: null,
  ...more,
});
const whole = (more: Readonly<Record<string, unknown>>) =>
  described({ qry: 'SELECT 1', cacheName: null, parameters: [], ...more });
const parameters = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const invalid = (reason: string) => failsWith(`The query cannot be saved: ${reason}`);
const ADD = 'savedqueryadd name=a qry=SELECT%201';
const NONE = '0123456789abcdef';

commandCases('saved queries without authentication', [
  ['a query has a name', ['savedqueryadd qry=SELECT%201', failsWith('mandatory parameter in request: name')]],
  ['a query has a text', ['savedqueryadd name=a', failsWith('mandatory parameter in request: qry')]],
  ['a query is shared, because nobody owns it', [`${ADD} shared=false`, whole({})]],
  ['a query with a default schema', [`${ADD} cacheName=shop`, whole({ cacheName: 'shop' })]],
  [
    'a query with parameters, whose label, type and default are optional',
    [
      `${ADD} parameters=${parameters([{ name: 'city' }, { name: '?1', label: 'From', type: 'date', default: '2026-01-01' }])}`,
      whole({
        parameters: [
          { name: 'city', label: null, type: 'string', default: null },
          { name: '?1', label: 'From', type: 'date', default: '2026-01-01' },
        ],
      }),
    ],
  ],
  ['a list has no texts', [ADD, whole({})], ['savedquerylist', [described({})]]],
  ['a list of a user', [ADD, whole({})], ['savedquerylist user=ann', []]],
  ['names are unique', [ADD, whole({})], [ADD, failsWith('A saved query with this name already exists [name=a]')]],
  ['an empty name', ['savedqueryadd name=%20 qry=a', invalid('its name is empty')]],
  ['a name of two lines', ['savedqueryadd name=a%0Ab qry=a', invalid('its name has control characters')]],
  ['a long name', [`savedqueryadd name=${'n'.repeat(101)} qry=a`, invalid('its name has more than 100 characters')]],
  ['an empty text', ['savedqueryadd name=a qry=%0A', invalid('it has no text')]],
  [
    'a long text',
    [`savedqueryadd name=a qry=${'s'.repeat(65_537)}`, invalid('its text has more than 65536 characters')],
  ],
  ['parameters that are no JSON', [`${ADD} parameters=[`, invalid('parameters: they are not a JSON array')]],
  ['parameters that are no array', [`${ADD} parameters={}`, invalid('parameters: they are not a JSON array')]],
  ['a parameter that is no object', [`${ADD} parameters=[1]`, invalid('parameters: element 1 is not an object')]],
  [
    'a parameter with another member',
    [
      `${ADD} parameters=${parameters([{ name: 'a', value: 'b' }])}`,
      invalid('parameters: element 1 has a member value; there are name, label, type, default'),
    ],
  ],
  [
    'a parameter without a name',
    [`${ADD} parameters=[{}]`, invalid('parameters: name of element 1 is neither a name nor ?1, ?2 and so on')],
  ],
  [
    'a default that is a number',
    [
      `${ADD} parameters=${parameters([{ name: 'a', default: 1 }])}`,
      invalid('parameters: default of element 1 is not a string'),
    ],
  ],
  [
    'two parameters of a name',
    [`${ADD} parameters=${parameters([{ name: 'a' }, { name: 'a' }])}`, invalid('parameters: there are two named a')],
  ],
  [
    'long parameters',
    [
      `${ADD} parameters=${parameters([{ name: 'a', label: 'l'.repeat(16_384) }])}`,
      invalid('parameters: they have more than 16384 characters'),
    ],
  ],
  ['a query that does not exist', [`savedqueryget id=${NONE}`, failsWith('There is no saved query with this id')]],
  ['an id of another form', ['savedqueryget id=a', failsWith('There is no saved query with this id [id=a]')]],
  ['a misspelt parameter', [`${ADD} share=true`, failsWith('Did you mean "shared"?')]],
  ['a change of nothing that exists', [`savedqueryupdate id=${NONE} name=b`, failsWith('no saved query with this id')]],
  ['a removal of nothing', [`savedqueryrmv id=${NONE}`, failsWith('There is no saved query with this id')]],
]);

commandCases(
  'limits of saved queries',
  [
    [
      'the number of one user, and then that of all',
      [ADD, whole({})],
      ['savedqueryadd name=b qry=a', whole({ name: 'b', qry: 'a' })],
      ['savedqueryadd name=c qry=a', failsWith('Too many saved queries of this user [limit=2]')],
    ],
  ],
  { limits: { savedQueriesPerUser: 2 } },
);

commandCases(
  'the limit of all saved queries',
  [['over all users', [ADD, whole({})], ['savedqueryadd name=b qry=a', failsWith('of all users [limit=1]')]]],
  { limits: { savedQueries: 1 } },
);
