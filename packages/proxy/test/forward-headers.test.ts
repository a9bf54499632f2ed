import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { parseForwardedHeader } from '../src/index.ts';

describe('parseForwardedHeader', () => {
  const taken = [
    { text: 'X-Key=a', expected: { name: 'X-Key', value: 'a' } },
    { text: 'X-Key= a = b ', expected: { name: 'X-Key', value: ' a = b ' } },
    { text: 'authorization=Bearer x', expected: { name: 'authorization', value: 'Bearer x' } },
    { text: `X=${'v'.repeat(8192)}`, expected: { name: 'X', value: 'v'.repeat(8192) } },
  ];
  for (const { text, expected } of taken) {
    it(`reads ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(parseForwardedHeader(text)).to.deep.equal(expected);
    });
  }

  const invalid = [
    'X-Key',
    '=a',
    'X Key=a',
    'X-Key=',
    'Ü=a',
    `${'n'.repeat(257)}=a`,
    `X=${'v'.repeat(8193)}`,
    'X=a\r\nb: c',
    'X=a\u{7f}',
    'X=€',
  ];
  for (const text of invalid) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))}, and does not repeat its value`, () => {
      const error = errorOf(text);
      expect(error).to.have.property('code', 'ERR_FORWARDED_HEADER_INVALID');
      expect(error).to.have.property('message').that.does.not.include('vvv');
    });
  }

  const restricted = [
    'Host',
    'host',
    'Connection',
    'TE',
    'HTTP2-Settings',
    'Transfer-Encoding',
    'Content-Length',
    'X-Forwarded-Proto',
    'X-Real-IP',
  ];
  for (const name of restricted) {
    it(`refuses ${name}, which belongs to the connection`, () => {
      expect(errorOf(`${name}=a`)).to.include({
        code: 'ERR_FORWARDED_HEADER_RESTRICTED',
        message: `header "${name}" is restricted and cannot be configured for forwarding`,
      });
    });
  }
});

function errorOf(text: string): unknown {
  try {
    return parseForwardedHeader(text);
  } catch (error) {
    return isPortolanError(error) ? error : undefined;
  }
}
