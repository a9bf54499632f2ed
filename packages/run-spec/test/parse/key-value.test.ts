import { expect } from 'chai';
import fc from 'fast-check';
import {
  parseEnvironmentVariable,
  parseForwardedHeader,
  parseForwardedHeaderSecret,
  parseLabel,
} from '../../src/parse/key-value.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('parseEnvironmentVariable', () => {
  it('splits at the first "=" and keeps the value unchanged', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]*$/),
        fc.string().filter((value) => !value.includes('\0')),
        (key, value) => {
          expect(parseEnvironmentVariable(`${key}=${value}`, '--env')).to.deep.equal({ key, value });
        },
      ),
    );
  });

  for (const text of ['NAME', '', '=value', 'A B=1', 'A"=1', 'A$B=1', 'A\n=1', 'A=\0']) {
    it(`rejects ${JSON.stringify(text)}`, async () => {
      const error = await caught(() => parseEnvironmentVariable(text, '--env'));
      expect(error.code).to.equal('ERR_SETTING');
    });
  }

  it('shows no part of a possible value in errors', async () => {
    for (const text of ['hunter2', '=hunter2', 'A B=hunter2', 'A=hunter2\0']) {
      const { message, hint } = await caught(() => parseEnvironmentVariable(text, '--env'));
      expect(`${message} ${hint}`).not.to.include('hunter2');
    }
  });
});

describe('parseLabel', () => {
  const good = [
    'team=maps',
    'a.b/team=maps',
    'team=',
    'x=1.2-3_4',
    `${'k'.repeat(317)}=v`,
    'a=-1',
    '-a=1',
    'A.B/x=1',
    'a/b/c=1',
    'a=ü',
    'note=two words, https://h.example',
  ];
  for (const text of good) {
    it(`parses ${text}`, () => {
      const [key, value] = text.split('=');
      expect(parseLabel(text, '--label')).to.deep.equal({ key, value });
    });
  }
  it('keeps further "=" in the value', () => {
    expect(parseLabel('rule=Host(`a`)&&b=c', '--label')).to.deep.equal({
      key: 'rule',
      value: 'Host(`a`)&&b=c',
    });
  });

  const bad = ['team', '=maps', 'a b=1', 'a\n=1', `${'k'.repeat(318)}=v`, 'a=\0'];
  for (const text of bad) {
    it(`rejects ${text}`, async () => {
      expect(await caught(() => parseLabel(text, '--label'))).to.have.property('code', 'ERR_LABEL');
    });
  }
  for (const text of [
    'portolan.dev/name=x',
    'Portolan.dev/role=server',
    'toolhive=true',
    'toolhive-name=x',
  ]) {
    it(`rejects the reserved label ${text}`, async () => {
      expect(await caught(() => parseLabel(text, '--label'))).to.have.property('code', 'ERR_SETTING');
    });
  }
});

describe('parseForwardedHeader', () => {
  it('keeps spaces and further "=" in the value', () => {
    const text = 'Authorization=Bearer a=b ';
    expect(parseForwardedHeader(text, 'here')).to.deep.equal({ key: 'Authorization', value: 'Bearer a=b ' });
  });

  const bad = [
    'X-Tenant',
    '=acme',
    'X Tenant=acme',
    'X-Tenant=',
    'X-Tenant= ',
    'X-Tenant=a\r\nX-Evil: b',
    `${'x'.repeat(257)}=a`,
    `X=${'a'.repeat(8193)}`,
    ...[
      'Host',
      'CONNECTION',
      'te',
      'Transfer-Encoding',
      'Content-Length',
      'X-Forwarded-For',
      'x-real-ip',
    ].map((name) => `${name}=secret-value`),
  ];
  for (const text of bad) {
    it(`rejects ${JSON.stringify(text.slice(0, 40))}, and shows no value`, async () => {
      const error = await caught(() => parseForwardedHeader(text, '--remote-forward-headers'));
      expect(error.code).to.equal('ERR_SETTING');
      expect(error.message).not.to.include('secret-value');
    });
  }

  it('names the restricted header', async () => {
    const { message } = await caught(() => parseForwardedHeader('Host=a', 'here'));
    expect(message).to.include('header "Host" is restricted and cannot be configured for forwarding');
  });

  it('accepts the name of a secret only without a comma', async () => {
    expect(parseForwardedHeaderSecret('X-Key=my-key', 'here')).to.deep.equal({
      key: 'X-Key',
      value: 'my-key',
    });
    const error = await caught(() => parseForwardedHeaderSecret('X-Key=my,key', 'here'));
    expect(error.code).to.equal('ERR_SETTING');
  });
});
