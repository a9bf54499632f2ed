import { isPortolanError, type ForwardedHeader } from '@portolan/plugin-api';
import { expect } from 'chai';
import { checkForwardedHeader } from '../src/request/forward-headers.ts';

describe('checkForwardedHeader', () => {
  const taken = ['X-Key=a', 'X-Key= a = b ', 'authorization=Bearer x', `X=${'v'.repeat(8192)}`];
  for (const text of taken) {
    it(`accepts ${JSON.stringify(text.slice(0, 30))}`, () => {
      expect(errorOf(text)).to.equal(undefined);
    });
  }

  const invalid = [
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
    it(`refuses ${JSON.stringify(text.slice(0, 30))}, without the value in the error`, () => {
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
    checkForwardedHeader(headerOf(text));
    return undefined;
  } catch (error) {
    return isPortolanError(error) ? error : undefined;
  }
}

function headerOf(text: string): ForwardedHeader {
  const at = text.indexOf('=');
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
