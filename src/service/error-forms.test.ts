/** The forms of every error in the catalogue, through the pipeline. */
import { describe, expect, test } from 'bun:test';
import { openTestService } from '../../test/test-service.ts';
import { ERRORS, type ErrorCode, type ErrorEntry, GridError } from '../base/errors.ts';
import { describedErrors, shownText } from '../documentation/error-guide.ts';
import { contractText } from './error-texts.ts';
import { envelopeHead } from './request.ts';

/** A service whose signature check fails with an error. */
function failingWith(code: ErrorCode, options: { httpStatus?: boolean; errorObjects?: boolean } = {}) {
  const failure = new GridError(code, shownText(ERRORS[code].text), { parameter: 'key', position: 7 });
  const check = (): never => {
    throw failure;
  };
  return openTestService({ service: { ...options, signature: { check } } });
}

/** Returns the member `error` of a response's envelope. */
function errorIn(outcome: Parameters<typeof envelopeHead>[0]): unknown {
  return JSON.parse(`${envelopeHead(outcome)}null}`).error;
}

for (const { code, text, http, status, remedy } of describedErrors()) {
  const { httpAlways }: ErrorEntry = ERRORS[code];
  const plain = httpAlways === true ? http : 200;
  describe(code, () => {
    test('is a text by default', async () => {
      const outcome = await failingWith(code).send('get key=a');
      expect([outcome.successStatus, outcome.http, outcome.failure?.code]).toEqual([status, plain, code]);
      expect(outcome.errorObject).toBeUndefined();
      expect(errorIn(outcome)).toBeString();
      expect(errorIn(outcome)).toContain(contractText(new GridError(code, text)));
    });

    test('the error is an object if the request asks for it [16.2]', async () => {
      const object = {
        code,
        message: expect.any(String),
        parameter: 'key',
        position: 7,
        remedy,
        documentation: `/docs/errors/${code}`,
      };
      const service = failingWith(code);
      expect(errorIn(await service.send('get key=a errors=object'))).toEqual(object);
      expect(errorIn(await service.send('get key=a', { prefer: 'errors=object' }))).toEqual(object);
      expect(errorIn(await failingWith(code, { errorObjects: true }).send('get key=a'))).toEqual(object);
      expect(errorIn(await failingWith(code, { errorObjects: true }).send('get key=a errors=text'))).toBeString();
    });

    test('has its own HTTP status with httpStatus [16.6]', async () => {
      const requests = ['get key=a httpStatus=true', 'get key=a httpStatus=true errors=object', 'get httpStatus=true'];
      for (const request of requests) expect((await failingWith(code).send(request)).http).toBe(http);
      const byDefault = failingWith(code, { httpStatus: true });
      expect((await byDefault.send('get key=a')).http).toBe(http);
      expect((await byDefault.send('get key=a httpStatus=false')).http).toBe(plain);
      // It fails before the command is known.
      expect((await byDefault.send('nosuch')).http).toBe(http);
      expect((await failingWith(code).send('nosuch')).http).toBe(code === 'RATE_LIMITED' ? http : 400);
    });
  });
}

describe('the form', () => {
  const cases: ReadonlyArray<readonly [title: string, request: string, prefer: string | undefined, isObject: boolean]> =
    [
      ['of the parameter in any letter case', 'get errors=OBJECT', undefined, true],
      ['of the parameter before the header', 'get errors=text', 'errors=object', false],
      ['of one of several preferences', 'get', 'numbers=string, errors="object"; wait=1', true],
      ['of the options for other words of the header', 'get', 'errors=xml', false],
      ['of an empty parameter', 'get errors=', undefined, false],
      ['of an unknown command', 'nosuch errors=object', undefined, true],
      ['of no command', '? errors=object', undefined, true],
    ];
  for (const [title, request, prefer, isObject] of cases) {
    test(title, async () => {
      const outcome = await openTestService().send(request, prefer === undefined ? {} : { prefer });
      expect(outcome.successStatus).toBe(1);
      expect(typeof errorIn(outcome) === 'object').toBe(isObject);
    });
  }

  test('is one of two words', async () => {
    const { error, failure } = await openTestService().send('state errors=xml');
    expect([error, failure?.code, failure?.parameter]).toEqual([
      'Unknown notation [errors=xml] (expected one of: text, object)',
      'NOTATION_INVALID',
      'errors',
    ]);
  });
});

describe('the message of an object', () => {
  test('is the text without the words of Ignite around it', async () => {
    const request = 'get key=a cacheName=none errors=object';
    for (const compatibility of ['contract', 'reference'] as const) {
      const outcome = await openTestService({ compatibility }).send(request);
      expect(errorIn(outcome)).toMatchObject({ message: 'Failed to find cache for given cache name: none' });
    }
  });
});

describe('the remedy', () => {
  test('says in milliseconds what a duration is, and the message stays', async () => {
    for (const compatibility of ['contract', 'reference'] as const) {
      const service = openTestService({ compatibility });
      const errorOf = async (time: string) =>
        errorIn(await service.send(`put cacheName=default key=a val=1 ${time} errors=object`));
      expect(await errorOf('exp=5s')).toMatchObject({
        message: 'Failed to parse parameter of Long type [exp=5s]',
        remedy: 'Send milliseconds: exp=5000 for 5s.',
      });
      expect(await errorOf('exp=soon')).toMatchObject({ remedy: ERRORS.NOT_A_LONG.remedy });
      expect(await errorOf('ttlMs=2h')).toMatchObject({ remedy: 'Send milliseconds: ttlMs=7200000 for 2h.' });
    }
  });
});

describe('the remedy of an exceeded limit', () => {
  const cases: ReadonlyArray<readonly [request: string, remedy: string]> = [
    ['getall k1=a k2=b', 'Send less at once, or raise limits.keysPerCommand.'],
    [`roleassign user=ann roles=${'a,'.repeat(2_001)}`, 'Send less at once: this limit is fixed.'],
  ];
  for (const [request, remedy] of cases) {
    test(`of ${request.slice(0, 20)} names the option, if there is one`, async () => {
      const service = openTestService({ limits: { keysPerCommand: 1 } });
      const error = errorIn(await service.send(`${request} errors=object`));
      expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', remedy });
    });
  }
});

describe('the parameter', () => {
  const cases: ReadonlyArray<readonly [request: string, code: ErrorCode, parameter: string | undefined]> = [
    ['get', 'PARAMETER_MISSING', 'key'],
    ['getall', 'PARAMETER_MISSING', 'k1'],
    ['putall k1=a', 'FEWER_VALUES_THAN_KEYS', undefined],
    ['get key=x keyType=int', 'CONVERSION', 'key'],
    ['put key=1 val=x valueType=long', 'CONVERSION', 'val'],
    ['getall k1=1 k2=x keyType=int', 'CONVERSION', 'k2'],
    ['getall k1=1 k3=2', 'PARAMETER_GAP', 'k2'],
    ['put key=a val=1 exp=1 ttlMs=1', 'PARAMETERS_EXCLUSIVE', 'ttlMs'],
    ['put key=a val=1 exp=soon', 'NOT_A_LONG', 'exp'],
    ['put key=a val=1 ttlMs=-1', 'TTL_NEGATIVE', 'ttlMs'],
    ['put key=a val=1 cacheFlags=x', 'NOT_AN_INTEGER', 'cacheFlags'],
    ['get key=a httpStatus=maybe', 'NOT_A_BOOLEAN', 'httpStatus'],
    ['get key=a keytype=int', 'PARAMETER_UNKNOWN', 'keytype'],
    ['qryfldexe qry=SELECT%201', 'PARAMETER_MISSING', 'pageSize'],
    ['qryfldexe pageSize=x qry=SELECT%201', 'NOT_A_NUMBER', 'pageSize'],
    ['qryfldexe pageSize=-1 qry=SELECT%201', 'PAGE_SIZE_NEGATIVE', 'pageSize'],
    ['qryfldexe pageSize=1', 'PARAMETER_NULL', 'qry'],
    ['qryfetch pageSize=1 qryId=x', 'NOT_A_NUMBER', 'qryId'],
    ['repval key=a val=1', 'PARAMETER_NULL', 'val2'],
    ['getorcreate cacheName=c backups=x', 'BACKUPS_INVALID', 'backups'],
    ['get key=a cacheName=none', 'CACHE_NOT_FOUND', undefined],
  ];
  for (const [request, code, parameter] of cases) {
    test(`of ${request} [16.4]`, async () => {
      const { failure } = await openTestService().send(request);
      expect([failure?.code, failure?.parameter]).toEqual([code, parameter]);
    });
  }
});

test('each failed command of a batch has a code [16.5]', async () => {
  const commands = JSON.stringify([{ cmd: 'put', key: 'a', val: 1 }, { cmd: 'get' }, { cmd: 'nosuch' }]);
  const batch = `batch commands=${encodeURIComponent(commands)}`;
  const texts = await openTestService().send(batch);
  expect(texts.response).toMatchObject([
    { error: null },
    { error: expect.any(String), errorCode: 'PARAMETER_MISSING' },
    { error: expect.any(String), errorCode: 'COMMAND_UNKNOWN' },
  ]);
  expect(texts.text).not.toContain('"response":true,"errorCode"');
  const objects = await openTestService().send(`${batch} errors=object`);
  expect(objects.response).toMatchObject([
    { error: null },
    { error: { code: 'PARAMETER_MISSING', parameter: 'key' } },
    { error: { code: 'COMMAND_UNKNOWN' } },
  ]);
  expect(objects.text).not.toContain('errorCode');
});
