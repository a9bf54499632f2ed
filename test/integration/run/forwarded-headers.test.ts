import { isPortolanError } from '@portolan/plugin-api';
import fc from 'fast-check';
import { checkForwardedHeader } from '../../../packages/proxy/src/request/forward-headers.ts';
import { type KeyValue, parseForwardedHeader } from '../../../packages/run-spec/src/parse/key-value.ts';

describe('parseForwardedHeader and the proxy', () => {
  it('parseForwardedHeader accepts no header that the proxy refuses later', () => {
    const names = ['X-Key', 'Host', 'Keep-Alive', 'http2-settings', 'forwarded', 'Proxy-Connection', 'ü', ''];
    const name = fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 300 }));
    fc.assert(
      fc.property(name, fc.string({ unit: 'binary', maxLength: 40 }), (key, value) => {
        const header = takenHeader(`${key}=${value}`);
        if (header !== undefined) checkForwardedHeader({ name: header.key, value: header.value });
      }),
    );
  });
});

function takenHeader(text: string): KeyValue | undefined {
  try {
    return parseForwardedHeader(text, 'here');
  } catch (error) {
    if (isPortolanError(error)) return undefined;
    throw error;
  }
}
