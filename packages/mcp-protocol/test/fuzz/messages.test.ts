import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trialsFor } from '../../../../test/support/soak.ts';
import { findAnsweredId } from '../../src/message/find-answered-id.ts';
import type { Message } from '../../src/message/message.ts';
import {
  parseBatch,
  parseClientBody,
  parseServerMessage,
  splitServerBatch,
} from '../../src/message/parse-message.ts';
import { onOneLine, rewriteMessage } from '../../src/message/rewrite-message.ts';
import { spliceChanges } from '../../src/message/splice-changes.ts';
import { MESSAGES } from '../../../../test/support/fuzz/corpus.ts';
import { mutated } from '../../../../test/support/fuzz/mutated.ts';
import { readingsOf } from '../../../../test/support/fuzz/other-readers.ts';

/** The messages in a body; none where it is refused as it should be. */
function messagesIn(bytes: Buffer): readonly Message[] {
  try {
    const parsed = parseClientBody(bytes);
    return parsed.form === 'message' ? [parsed.message] : parseBatch(parsed.text);
  } catch (error) {
    expect(isPortolanError(error), String(error)).to.equal(true);
    return [];
  }
}

function withoutId(text: string): unknown {
  return { ...(JSON.parse(text) as object), id: undefined };
}

describe('parseClientBody with random input', function () {
  this.timeout(limitMs(30_000));

  const check = (bytes: Buffer): void => {
    for (const message of messagesIn(bytes)) {
      const readings = readingsOf(message.text);
      expect(readings.size, `read in ${readings.size} ways: ${message.text}`).to.equal(1);
      const [line, value] = [onOneLine(message.text), JSON.parse(message.text) as object];
      expect(line).to.not.match(/[\r\n]/);
      expect(JSON.parse(line)).to.deep.equal(value);
      if (message.kind === 'notification') continue;
      expect(JSON.parse(message.id.text)).to.deep.equal((value as { readonly id: unknown }).id);
      const rewritten = rewriteMessage(message.text, [{ path: ['id'], by: '"p-1"' }]);
      expect(JSON.parse(rewritten)).to.have.property('id', 'p-1');
      expect(withoutId(rewritten)).to.deep.equal(withoutId(message.text));
      const spliced = spliceChanges(message.text, [{ path: ['added'], json: '1.0' }]);
      expect(JSON.parse(spliced)).to.deep.equal({ ...value, added: 1 });
    }
  };

  it('throws an error with a code, or returns the result of JSON.parse', () => {
    fc.assert(fc.property(mutated, check), trialsFor({ short: 3000, minutes: 3 }));
  });

  it('throws an error with a code, or returns the result of JSON.parse, for all inputs that failed before', () => {
    for (const text of MESSAGES) check(Buffer.from(text));
  });
});

describe('parseServerMessage with random input', function () {
  this.timeout(limitMs(30_000));

  it('never throws', () => {
    fc.assert(
      fc.property(mutated, fc.nat(300), (bytes, cut) => {
        const text = bytes.toString('utf8');
        const parsed = parseServerMessage(text);
        if (typeof parsed === 'string') expect(parsed).to.not.equal('');
        else expect(JSON.parse(parsed.text)).to.be.an('object');
        splitServerBatch(text)?.forEach((part) => parseServerMessage(part));
        // What is cut may say no other id than the whole.
        const answered = findAnsweredId(text.slice(0, cut));
        const isWhole = typeof parsed !== 'string' && parsed.kind === 'response';
        if (answered !== undefined && isWhole) expect(answered.key).to.equal(parsed.id.key);
      }),
      trialsFor({ short: 3000, minutes: 2 }),
    );
  });
});
