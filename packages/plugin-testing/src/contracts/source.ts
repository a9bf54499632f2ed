import type { SourceKind, SourceReach } from '@portolan/plugin-api';
import { expect } from 'chai';
import { inTime } from '../eventually.ts';
import { type ContractCase, registerContract } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';
import { changesCases, scopeCases, watchingCases } from './source-change-cases.ts';
import { scratchCases } from './source-scratch-cases.ts';
import {
  fingerprintOf,
  isEntry,
  type Item,
  readAll,
  readFault,
  type SourceUnderTest,
  useSource,
} from './source-under-test.ts';

/**
 * Registers the suite that every source kind must pass. Create and remove folders or servers for each test in
 * `beforeEach` and `afterEach` of the surrounding `describe`.
 */
export function sourceContract<Kind extends SourceKind>(options: SourceUnderTest<Kind>): void {
  registerContract(`source contract: ${options.name}`, sourceCases(options));
}

export function sourceCases<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
): readonly ContractCase[] {
  return [
    ...kindCases(options.kind, options.blocks),
    {
      title: 'declares who labels its entries',
      run: async () => {
        expect(options.kind.claimsFrom).to.be.oneOf(['source', 'entry', 'publisher']);
      },
    },
    ...readingCases(options),
    ...changesCases(options),
    ...scopeCases(options),
    ...scratchCases(options),
    ...reachCases(options),
    ...watchingCases(options),
  ];
}

const MAX_FINGERPRINT_LENGTH = 200;

function readingCases<Kind extends SourceKind>(options: SourceUnderTest<Kind>): readonly ContractCase[] {
  const { entries, change, spoil } = options;
  return [
    {
      title: 'yields the declared entries, then ends',
      run: () =>
        useSource(options, async (used) => {
          const items = (await readAll(used, options)).filter((item) => !('revision' in item));
          expect(items.map((item) => comparable(item, entries))).to.have.deep.members(entries);
        }),
    },
    {
      title: 'yields claims only when its kind declares labels for each entry',
      run: () =>
        useSource(options, async (used) => {
          const labelled = (await readAll(used, options)).filter(
            (item) => 'claims' in item && item.claims !== undefined,
          );
          if (options.kind.claimsFrom !== 'entry') expect(labelled).to.deep.equal([]);
        }),
    },
    {
      title: 'describes the data it has read, if at all, by a text of limited length',
      run: () =>
        useSource(options, async (used) => {
          for (const item of await readAll(used, options))
            if ('revision' in item) expect(item.revision).to.match(/^[^\p{Cc}]{1,200}$/u);
        }),
    },
    {
      title: 'yields the same on a second read',
      run: () =>
        useSource(options, async (used) => {
          expect(await readAll(used, options)).to.deep.equal(await readAll(used, options));
        }),
    },
    {
      title: 'yields the same through another instance',
      run: () =>
        useSource(options, async (one) => {
          await useSource(options, async (other) => {
            expect(await readAll(other, options)).to.deep.equal(await readAll(one, options));
          });
        }),
    },
    { title: 'throws on a read with an aborted signal', run: () => refusesAborted(options) },
    {
      title: 'stops soon after the signal aborts, with an error',
      run: () => stopsOnAbort(options),
    },
    {
      title: 'closes what it opened when the reader leaves early',
      run: () =>
        useSource(options, async (used) => {
          const { signal } = new AbortController();
          for await (const _ of used.source.readEntries(signal, used.context)) break;
        }),
    },
    {
      title: 'returns a fingerprint, if any, that stays the same while the data does',
      run: () => keepsFingerprint(options),
    },
    { title: 'can be closed twice, and without a read', run: () => closesTwice(options) },
    ...(change === undefined
      ? []
      : [
          {
            title: 'yields other entries and another fingerprint after a change',
            run: () => seesChange(options, change),
          },
        ]),
    ...(spoil === undefined
      ? []
      : [
          {
            title: 'throws an error with a code and a hint when the data is unreadable',
            run: () => tellsFault(options, spoil),
          },
        ]),
  ];
}

/** Omits `place` from an entry when the expected entries do not contain it. */
function comparable(item: Item, declared: readonly Item[]): Item {
  if ('skipped' in item || declared.some((one) => 'place' in one)) return item;
  const { place: _, ...rest } = item;
  return rest;
}

async function refusesAborted(options: SourceUnderTest): Promise<void> {
  await useSource(options, async (used) => {
    let ended = false;
    try {
      await readAll(used, options, AbortSignal.abort());
      ended = true;
    } catch {
      // Any error is fine: an abort needs no code.
    }
    expect(ended, 'reading ended as if the source were complete').to.equal(false);
  });
}

async function stopsOnAbort(options: SourceUnderTest): Promise<void> {
  await useSource(options, async (used) => {
    const stop = new AbortController();
    const seen: Item[] = [];
    const reading = (async () => {
      for await (const item of used.source.readEntries(stop.signal, used.context)) {
        if (isEntry(item)) seen.push(item);
        stop.abort();
      }
      return 'complete' as const;
    })().catch(() => 'stopped' as const);
    if ((await inTime('the end after an abort', reading, options)) === 'complete') {
      expect(seen, 'items of a read that claims to be complete').to.have.lengthOf(options.entries.length);
    }
  });
}

async function keepsFingerprint(options: SourceUnderTest): Promise<void> {
  await useSource(options, async (used) => {
    if (used.source.fingerprint === undefined) return;
    const first = await inTime('a fingerprint', fingerprintOf(used), options);
    expect(first).to.be.a('string').with.length.within(1, MAX_FINGERPRINT_LENGTH);
    expect(await fingerprintOf(used), 'asked twice').to.equal(first);
    await readAll(used, options);
    expect(await fingerprintOf(used), 'after reading').to.equal(first);
    await useSource(options, async (other) => {
      expect(await fingerprintOf(other), 'of another instance').to.equal(first);
    });
  });
}

async function closesTwice(options: SourceUnderTest): Promise<void> {
  await useSource(options, async (used) => {
    await used.source.close?.();
    await used.source.close?.();
  });
  await useSource(options, async (used) => {
    await fingerprintOf(used);
    await used.source.close?.();
  });
}

async function seesChange(options: SourceUnderTest, change: () => void | Promise<void>): Promise<void> {
  await useSource(options, async (used) => {
    const fingerprint = await fingerprintOf(used);
    const before = await readAll(used, options);
    await change();
    if (fingerprint !== undefined) {
      expect(await fingerprintOf(used), 'fingerprint after the change').to.not.equal(fingerprint);
    }
    expect(await readAll(used, options), 'entries after the change').to.not.deep.equal(before);
  });
}

async function tellsFault(options: SourceUnderTest, spoil: () => void | Promise<void>): Promise<void> {
  await useSource(options, async (used) => {
    await spoil();
    const fault = await readFault(used, options);
    expect(fault.code, 'code').to.match(/^ERR_[A-Z0-9_]+$/);
    expect(fault.message, 'message').to.not.equal('');
    expect(fault.hint, 'hint').to.be.a('string').and.not.equal('');
  });
}

/** Returns the cases for `reaches`. A kind without it is valid, but the API cannot create its sources. */
function reachCases<Kind extends SourceKind>({
  kind,
  blocks = [],
}: SourceUnderTest<Kind>): readonly ContractCase[] {
  return [
    {
      title: 'returns the files, hosts and addresses of a block, if it does, in a form that can be checked',
      run: async () => {
        for (const block of blocks) {
          const reach: SourceReach | undefined = kind.reaches?.(block);
          if (reach === undefined) return;
          for (const text of [...reach.files, ...reach.urls])
            expect(text).to.be.a('string').and.not.equal('');
          for (const { scheme, host, port } of reach.hosts ?? []) {
            expect(scheme, 'name of a protocol').to.match(/^[a-z][a-z0-9+.-]*$/);
            expect(host, 'name or address of a host').to.match(/^[^\s/@[\]]+$/);
            expect(port, 'port').to.be.within(1, 65_535);
            expect(Number.isInteger(port), 'a whole port').to.equal(true);
          }
        }
      },
    },
  ];
}
