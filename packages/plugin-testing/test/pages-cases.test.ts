import type { PageRequest, PageRoute, PagesKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { pagesCases, pagesContract } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';

type Faults = Partial<{
  repeatsPath: boolean;
  scripts: boolean;
  asksOthers: boolean;
  forgetsPrefix: boolean;
  escapesNothing: boolean;
  asksUnescaped: boolean;
  breaksOnRefusal: boolean;
  closesOnce: boolean;
}>;

function kindWith(faults: Faults): PagesKind {
  const route: PageRoute = {
    method: 'GET',
    path: '/notes/{name}',
    name: 'note',
    summary: 'A note.',
    handle: (request) => showNote(request, faults),
  };
  return {
    kind: 'notes',
    config: { type: 'object', description: 'Notes.', properties: {} },
    create: () => {
      let closed = false;
      return {
        open: () => ({
          routes: faults.repeatsPath === true ? [route, { ...route, name: 'other' }] : [route],
          close: () => {
            if (closed && faults.closesOnce === true) return Promise.reject(new Error('closed'));
            closed = true;
            return Promise.resolve();
          },
        }),
      };
    },
  };
}

async function showNote({ parameters, prefix, api }: PageRequest, faults: Faults) {
  const { name = '' } = parameters;
  const { status, json } = await api(
    { path: `/registry/${faults.asksUnescaped === true ? name : encodeURIComponent(name)}` },
    undefined,
  );
  if (faults.breaksOnRefusal === true && status === 500) throw new Error('the API failed');
  const shown = faults.escapesNothing === true ? name : name.replace(/[<>&"]/g, '?');
  return {
    status,
    body: [
      `<a href="${faults.forgetsPrefix === true ? '' : prefix}/notes/all">${shown}</a>`,
      JSON.stringify(json).replace(/[<>&"]/g, '?'),
      faults.scripts === true ? '<script>notes()</script>' : '',
      faults.asksOthers === true ? '<img src="https://notes.example/a.png">' : '',
    ].join('\n'),
  };
}

const tried = (faults: Faults) => ({ name: 'notes', kind: kindWith(faults), blocks: [{}] as const });

pagesContract(tried({}));

describe('pagesCases', () => {
  const protects =
    'keeps to the content security policy: neither script nor style in the text, nothing of other hosts';
  const escapes = 'escapes input from its address, in its text and in requests to the API';
  const broken: readonly { readonly faults: Faults; readonly fails: string }[] = [
    {
      faults: { repeatsPath: true },
      fails: 'has unique names, and valid routes that are unique per method',
    },
    { faults: { scripts: true }, fails: protects },
    { faults: { asksOthers: true }, fails: protects },
    { faults: { forgetsPrefix: true }, fails: 'starts its own addresses with the prefix of the server' },
    { faults: { escapesNothing: true }, fails: escapes },
    { faults: { asksUnescaped: true }, fails: escapes },
    { faults: { breaksOnRefusal: true }, fails: 'responds when the API refuses or fails' },
    { faults: { closesOnce: true }, fails: 'can be closed twice' },
  ];
  for (const { faults, fails } of broken) {
    it(`fails for pages with the fault ${Object.keys(faults).join(', ')}`, async () => {
      expect(await failingCases(pagesCases(tried(faults)))).to.include(fails);
    });
  }
});
