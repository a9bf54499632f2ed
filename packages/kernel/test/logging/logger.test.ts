import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { SecretValues } from '../../src/index.ts';
import { createLogger } from '../../src/logging/logger.ts';
import { withFields } from '../../src/logging/with-fields.ts';
import { LogLines } from '../support/test-context.ts';

async function loggerWith(environment: Record<string, string> = {}, secrets = new SecretValues()) {
  const destination = new LogLines();
  return { destination, logger: await createLogger({ environment, destination, secrets }) };
}

describe('createLogger', () => {
  it('writes each line as JSON with level, RFC 3339 time, fields and message', async () => {
    const { logger, destination } = await loggerWith();
    logger.info({ source: 'notes', count: 2 }, 'synced');
    logger.warn({}, 'hm');
    const [first, second] = destination.records;
    expect(first).to.include({ level: 'info', source: 'notes', count: 2, msg: 'synced' });
    expect(String(first?.['time'])).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(first).to.have.all.keys('level', 'time', 'source', 'count', 'msg');
    expect(second).to.include({ level: 'warn', msg: 'hm' });
  });

  const levels: readonly { environment: Record<string, string>; expected: readonly string[] }[] = [
    { environment: {}, expected: ['info', 'warn', 'error'] },
    { environment: { LOG_LEVEL: 'error' }, expected: ['error'] },
    { environment: { LOG_LEVEL: 'error', PORTOLAN_LOG_LEVEL: 'WARNING' }, expected: ['warn', 'error'] },
    { environment: { PORTOLAN_LOG_LEVEL: 'Debug' }, expected: ['debug', 'info', 'warn', 'error'] },
    { environment: { PORTOLAN_LOG_LEVEL: '', LOG_LEVEL: 'warn' }, expected: ['warn', 'error'] },
  ];
  for (const { environment, expected } of levels) {
    it(`writes ${expected.join(', ')} with ${JSON.stringify(environment)}`, async () => {
      const { logger, destination } = await loggerWith(environment);
      for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level]({}, 'x');
      expect(destination.records.map(({ level }) => level)).to.deep.equal(expected);
    });
  }

  it('uses info for an unknown level, and logs a warning', async () => {
    const { logger, destination } = await loggerWith({ PORTOLAN_LOG_LEVEL: 'loud' });
    logger.debug({}, 'x');
    logger.info({}, 'y');
    expect(destination.records.map(({ msg }) => msg)).to.deep.equal(['unknown log level', 'y']);
    expect(destination.records[0]).to.include({ level: 'warn', found: 'loud' });
  });

  it('writes all levels with debug, for any environment', async () => {
    const destination = new LogLines();
    const environment = { PORTOLAN_LOG_LEVEL: 'error' };
    const logger = await createLogger({ environment, destination, debug: true, secrets: new SecretValues() });
    logger.debug({}, 'x');
    expect(destination.records).to.have.length(1);
  });

  it('masks a string under a key with a secret-like name, at any depth', async () => {
    const { logger, destination } = await loggerWith();
    const fields = {
      authorization: 'Bearer hunter2',
      request: { headers: { Cookie: 'hunter2', 'set-cookie': 'hunter2', 'x-api-key': 'hunter2' } },
      options: [
        { password: 'hunter2 "quoted" \\' },
        { clientSecret: 'hunter2' },
        { access_token: 'hunter2' },
      ],
      migrationPassword: 'hunter2',
      tokenEndpoint: 'https://acme.example/token',
      tokens: 5,
    };
    logger.info(fields, 'x');
    expect(destination.text).not.to.include('hunter2').and.not.to.include('quoted');
    expect(destination.records[0]).to.include({ tokenEndpoint: 'https://acme.example/token', tokens: 5 });
    expect(destination.records[0]).to.include({ authorization: '[secret]' });
  });

  it('masks a known secret in any field and error', async () => {
    const secrets = new SecretValues();
    const { logger, destination } = await loggerWith({}, secrets);
    secrets.add('postgres://app:p%40ss"word@db.example/x');
    logger.error(
      { error: new Error('cannot reach p@ss"word', { cause: new Error('p%40ss%22word') }) },
      'p@ss"word',
    );
    expect(destination.text).not.to.match(/p(@|%40)ss/);
    expect(destination.records[0]).to.include({ msg: '[secret]' });
  });

  it('masks a number that is a known secret or has a key with a secret-like name', async () => {
    const secrets = new SecretValues();
    const { logger, destination } = await loggerWith({}, secrets);
    secrets.addNumbersOf(
      { pin: 271828 },
      { type: 'object', properties: { pin: { type: 'integer', secret: true } } },
    );
    logger.info(
      { pin: 271828, list: [271828, 2718281], password: 4711, note: 'pin:271828,', other: 12.271828 },
      'the pin is 271828.',
    );
    expect(destination.records[0]).to.deep.include({
      pin: '[secret]',
      list: ['[secret]', 2718281],
      password: '[secret]',
      note: 'pin:[secret],',
      other: 12.271828,
      msg: 'the pin is [secret].',
    });
  });

  it('writes valid JSON for secrets of any form', async () => {
    const secrets = new SecretValues();
    const { logger, destination } = await loggerWith({}, secrets);
    for (const value of ['31415', 'n2718', '":"info"', 'u2028']) secrets.add(value);
    logger.info({ ms: 31415, longer: 314159, text: '31415 \n2718' }, '\u2028 a\\n2718');
    expect(destination.records[0]).to.deep.include({
      level: 'info',
      ms: '[secret]',
      longer: 314159,
      text: '[secret] \n2718',
      msg: '\u2028 a\\[secret]',
    });
  });

  it('writes an error with its message, code, stack and cause', async () => {
    const { logger, destination } = await loggerWith();
    logger.error(
      { error: Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'ERR_X' }) },
      'x',
    );
    expect(destination.records[0]?.['err']).to.deep.include({ message: 'outer', code: 'ERR_X' });
    expect(destination.records[0]).not.to.have.property('error');
    expect(destination.text).to.include('inner').and.include('    at ');
  });

  it('writes any thrown value under the key err, as a map', async () => {
    const { logger, destination } = await loggerWith();
    for (const thrown of ['a text', 7, { a: 1 }, new Error('one')]) {
      logger.warn({ error: thrown }, 'x');
      logger.warn({ err: thrown }, 'x');
    }
    for (const { err, error } of destination.records) {
      expect(error).to.equal(undefined);
      expect(err)
        .to.be.an('object')
        .that.has.keys('type', 'message', ...(Object(err).type === 'Error' ? ['stack'] : []));
    }
  });

  it('writes an expected error without a stack, but with its cause', async () => {
    const { logger, destination } = await loggerWith();
    const cause = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT' });
    logger.warn(
      { err: new PortolanError('ERR_X', 'unavailable', 'cannot be read', { hint: 'look', cause }) },
      'x',
    );
    expect(destination.records[0]?.['err']).to.deep.equal({
      type: 'PortolanError',
      message: 'cannot be read',
      code: 'ERR_X',
      hint: 'look',
      cause: { type: 'Error', message: 'ENOENT: no such file', code: 'ENOENT' },
    });
    logger.error({ err: new PortolanError('ERR_X', 'fault', 'is broken') }, 'x');
    expect(destination.records[1]?.['err']).to.have.property('stack');
    const told = new PortolanError('ERR_X', 'fault', 'is no catalogue', { hint: 'Correct it.' });
    logger.error({ err: told }, 'x');
    expect(destination.records[2]?.['err']).to.have.keys('type', 'message', 'code', 'hint');
  });

  const formats = [
    { isTTY: true, format: undefined, pretty: true },
    { isTTY: false, format: undefined, pretty: false },
    { isTTY: false, format: 'pretty', pretty: true },
    { isTTY: true, format: 'json', pretty: false },
  ];
  for (const { isTTY, format, pretty } of formats) {
    it(`is ${pretty ? 'pretty' : 'JSON'} ${isTTY ? 'on' : 'off'} a terminal with PORTOLAN_LOG_FORMAT=${format ?? ''}`, async () => {
      const lines: string[] = [];
      const destination = { isTTY, write: (text: string) => void lines.push(text) };
      const environment = { NO_COLOR: '1', ...(format === undefined ? {} : { PORTOLAN_LOG_FORMAT: format }) };
      const logger = await createLogger({ environment, destination, secrets: new SecretValues() });
      logger.info({ password: 'hunter2' }, 'hello there');
      const text = lines.join('');
      expect(text.startsWith('{')).to.equal(!pretty);
      expect(text).to.include('hello there').and.not.to.include('hunter2');
    });
  }
});

describe('withFields', () => {
  it('adds fields to every line, and a line can override them', async () => {
    const { logger, destination } = await loggerWith({ LOG_LEVEL: 'debug' });
    const child = withFields(logger, { plugin: 'p' });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) child[level]({ a: 1 }, 'x');
    child.info({ plugin: 'q' }, 'x');
    expect(destination.records.map(({ plugin }) => plugin)).to.deep.equal(['p', 'p', 'p', 'p', 'q']);
  });
});

describe('SecretValues', () => {
  it('masks the longest value first, and ignores short values', () => {
    const secrets = new SecretValues();
    for (const value of ['hello', 'hello world', 'abc']) secrets.add(value);
    expect(secrets.mask('say hello world, hello, abc')).to.equal('say [secret], [secret], abc');
  });

  it('finds numbers in secret fields at any depth, and masks them only as whole numbers', () => {
    const secrets = new SecretValues();
    const pin = { type: 'number', secret: true } as const;
    const block = {
      type: 'object',
      properties: {
        pins: { type: 'array', items: pin },
        door: { type: 'object', secret: true, additionalProperties: { type: 'number' } },
        port: { type: 'integer' },
      },
    } as const;
    secrets.addNumbersOf(
      { pins: [12345, 1e21, 42], door: { code: -1.5e-7 }, port: 80808, unknown: 77777 },
      block,
    );
    expect(secrets.mask('12345, 1e+21; -1.5e-7. 123456 1.12345 12345.6 42 80808 77777')).to.equal(
      '[secret], [secret]; [secret]. 123456 1.12345 12345.6 42 80808 77777',
    );
  });
});
