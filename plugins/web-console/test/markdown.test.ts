import { expect } from 'chai';
import { renderMarkdown } from '../src/entry/markdown.ts';

describe('renderMarkdown', () => {
  const cases: readonly { readonly from: string; readonly to: string }[] = [
    { from: '**a** _b_ `c`', to: '<p><strong>a</strong> <em>b</em> <code>c</code></p>' },
    { from: '# A\n\n### B', to: '<h3>A</h3>\n<h4>B</h4>' },
    {
      from: '[a](https://a.example/?b=c&d)',
      to: '<p><a href="https://a.example/?b=c&amp;d" rel="nofollow noopener noreferrer">a</a></p>',
    },
    {
      from: '[a](mailto:a@b.example)',
      to: '<p><a href="mailto:a@b.example" rel="nofollow noopener noreferrer">a</a></p>',
    },
    { from: '<details><summary>a</summary>b</details>', to: '<details><summary>a</summary>b</details>' },
    {
      from: '| a |\n|---|\n| b |',
      to: '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>',
    },
    // What must not come through.
    { from: '<script>a</script>b', to: 'b' },
    { from: '<a href="/v1/me">a</a>', to: '<p><a>a</a></p>' },
    { from: '<a href="//b.example">a</a>', to: '<p><a>a</a></p>' },
    { from: '<a href="JaVa\tScript:alert(1)">a</a>', to: '<p><a>a</a></p>' },
    {
      from: '<a href="https://a.example" onclick="b()" target="_top" style="color:red" class="top">a</a>',
      to: '<p><a href="https://a.example" rel="nofollow noopener noreferrer">a</a></p>',
    },
    { from: '![a](https://a.example/b.png)', to: '<p></p>' },
    { from: '<img src=x onerror=alert(1)>', to: '' },
    { from: '<svg><script>a</script></svg>', to: '<p></p>' },
    { from: '<p id="content" name="a">a</p>', to: '<p>a</p>' },
    { from: '<style>body{}</style>a', to: 'a' },
    { from: '<iframe src="https://a.example"></iframe>', to: '' },
    { from: '<form action="/logout"><button>a</button></form>', to: 'a' },
    {
      from: '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
      to: '<p><table></table></p>',
    },
  ];
  for (const { from, to } of cases) {
    it(`renders ${from.slice(0, 50).replaceAll('\n', ' ')}: ${to.slice(0, 40)}`, async () => {
      expect((await renderMarkdown(from)).trim()).to.equal(to);
    });
  }

  it('takes no longer for adversarial texts', async () => {
    const texts = [
      'word '.repeat(200_000),
      '['.repeat(100_000),
      '*a **b '.repeat(20_000),
      '> '.repeat(50_000),
      `${'<b>'.repeat(30_000)}x`,
      `${'- '.repeat(20_000)}x`,
      '`'.repeat(60_000),
      '<!--'.repeat(20_000),
      '|a'.repeat(30_000),
    ];
    for (const text of texts) {
      const started = process.cpuUsage();
      const html = await renderMarkdown(text);
      const { user } = process.cpuUsage(started);
      expect(html.length, text.slice(0, 10)).to.be.below(1_500_000);
      expect(user / 1000, text.slice(0, 10)).to.be.below(4000);
    }
  });
});
