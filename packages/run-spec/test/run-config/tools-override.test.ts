import { expect } from 'chai';
import { parseToolsOverride } from '../../src/run-config/tools-override.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('parseToolsOverride', () => {
  it('parses names and descriptions for any tool name', () => {
    const text =
      '\ufeff{"toolsOverride":{"a":{"name":"b","description":"c"},"__proto__":{"description":"d"},"e":{"name":"f","description":null}}}';
    expect(Object.entries(parseToolsOverride(text, 'o.json'))).to.deep.equal([
      ['a', { name: 'b', description: 'c' }],
      ['__proto__', { description: 'd' }],
      ['e', { name: 'f' }],
    ]);
  });

  const faults: readonly (readonly [title: string, text: string, place: string])[] = [
    ['what is no JSON', '{"toolsOverride":', 'it is no JSON'],
    ['a list', '[]', 'the document: found a list'],
    ['a file without the key', '{}', 'toolsOverride: found nothing; expected a map of tools'],
    ['null', '{"toolsOverride":null}', 'toolsOverride: found nothing'],
    ['an empty map', '{"toolsOverride":{}}', 'toolsOverride: found nothing'],
    ['a list of tools', '{"toolsOverride":["a"]}', 'toolsOverride: found a list'],
    ['another key', '{"toolOverride":{"a":{"name":"b"}}}', 'toolOverride: found an unknown key'],
    ['an override that is a text', '{"toolsOverride":{"a":"b"}}', 'toolsOverride.a: found "b"'],
    ['an empty override', '{"toolsOverride":{"a":{}}}', 'toolsOverride.a: found nothing; expected a name'],
    ['empty texts', '{"toolsOverride":{"a":{"name":"","description":""}}}', 'toolsOverride.a: found nothing'],
    ['a name that is a number', '{"toolsOverride":{"a":{"name":1}}}', 'toolsOverride.a.name: found 1'],
    [
      'a key that is unknown',
      '{"toolsOverride":{"a b":{"title":"c"}}}',
      '["a b"].title: found an unknown key',
    ],
  ];
  for (const [title, text, place] of faults) {
    it(`rejects ${title}`, async () => {
      const error = await caught(() => parseToolsOverride(text, 'o.json'));
      expect(error.code).to.equal('ERR_SETTING');
      expect(error.message).to.include('o.json').and.include(place);
    });
  }

  it('reports every problem at once', async () => {
    const error = await caught(() => parseToolsOverride('{"toolsOverride":{"a":1,"b":{}},"c":0}', 'o.json'));
    expect(error.message.split('\n')).to.have.length(4);
  });
});
