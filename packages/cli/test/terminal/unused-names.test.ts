import { expect } from 'chai';
import { hintAtGuards, UnusedNames } from '../../src/terminal/unused-names.ts';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
const line = (seconds: number, method: string, host: string, allowed = true): string =>
  JSON.stringify({ time: at(seconds), workload: 'w', method, host, allowed });

function unused(lines: readonly string[], nowSeconds = 100): readonly string[] {
  const names = new UnusedNames();
  for (const one of lines) names.see(one);
  return names.list(new Date(nowSeconds * 1000));
}

describe('UnusedNames', () => {
  it('lists names that were resolved but never connected to', () => {
    const lines = [
      line(1, 'DNS', 'a.example'),
      line(2, 'DNS', 'b.example'),
      line(3, 'CONNECT', 'b.example'),
      line(4, 'DNS', 'c.example', false),
      line(5, 'GET', 'd.example'),
    ];
    expect(unused(lines)).to.deep.equal(['a.example']);
  });

  it('counts a refused connection, and a look-up after the last connection', () => {
    expect(unused([line(1, 'DNS', 'a.example'), line(2, 'CONNECT', 'a.example', false)])).to.deep.equal([]);
    const again = [line(1, 'CONNECT', 'a.example'), line(2, 'DNS', 'a.example')];
    expect(unused(again)).to.deep.equal(['a.example']);
  });

  it('gives a program time to connect, and ignores lines that are not events', () => {
    expect(unused([line(95, 'DNS', 'a.example'), '{"time"', 'null', '7'])).to.deep.equal([]);
  });
});

describe('hintAtGuards', () => {
  it('lists some names, and refers to the guide', () => {
    expect(hintAtGuards([])).to.equal(undefined);
    expect(hintAtGuards(['a', 'b']))
      .to.include(': a, b.')
      .and.to.include('docs/guides/protect/private-addresses.md');
    expect(hintAtGuards(['a', 'b', 'c', 'd'])).to.include(': a, b, c and others.');
  });
});
