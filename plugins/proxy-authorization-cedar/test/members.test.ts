import { expect } from 'chai';
import { Authorizer, call, configOf, request } from './support.ts';

const GITHUB = 'permit(principal, action, resource in Server::"github");';
const GROUPED = JSON.stringify([
  { uid: { type: 'Server', id: 'github' }, parents: [{ type: 'MCP', id: 'code' }] },
]);

describe('CedarAuthorizer › members of a virtual server', () => {
  let authorizer: Authorizer;
  afterEach(() => authorizer.close());

  const open = async (policy: string, hasMembers = true, entities = ''): Promise<Authorizer> =>
    (authorizer = await Authorizer.open(configOf([policy], { entities_json: entities }), { hasMembers }));

  const rows: readonly (readonly [policy: string, name: string, isAllowed: boolean])[] = [
    [GITHUB, 'github/search_code', true],
    [GITHUB, 'github/a/b', true],
    [GITHUB, 'gitlab/search_code', false],
    [GITHUB, 'gitlab/github/search_code', false],
    [GITHUB, 'github', false],
    [GITHUB, '/github', false],
    [GITHUB, 'github_search_code', false],
    [GITHUB, 'GitHub/search_code', false],
    ['permit(principal, action, resource == Tool::"github/search_code");', 'github/search_code', true],
    ['permit(principal, action, resource == Tool::"search_code");', 'github/search_code', false],
    ['permit(principal, action, resource in MCP::"io.example/test-server");', 'github/search_code', true],
    [
      'permit(principal, action, resource) when { resource in [Server::"a", Server::"github"] };',
      'github/search_code',
      true,
    ],
  ];
  for (const [policy, name, isAllowed] of rows) {
    it(`${isAllowed ? 'allows' : 'denies'} ${name} with ${policy}`, async () => {
      expect(await (await open(policy)).allows(call(name))).to.equal(isAllowed);
    });
  }

  it('gives prompts the member as a parent, and resources none', async () => {
    const { allows } = bound(await open(GITHUB));
    expect(await allows(request('prompts/get', { name: 'github/review' }))).to.equal(true);
    expect(await allows(request('prompts/get', { name: 'gitlab/review' }))).to.equal(false);
    expect(await allows(request('resources/read', { uri: 'github/readme' }))).to.equal(false);
  });

  it('gives tools of a single server no member, even with a slash in their names', async () => {
    expect(await (await open(GITHUB, false)).allows(call('github/search_code'))).to.equal(false);
  });

  it('finds the parents of a member in entities_json', async () => {
    const { allows } = bound(
      await open('permit(principal, action, resource in MCP::"code");', true, GROUPED),
    );
    expect(await allows(call('github/search_code'))).to.equal(true);
    expect(await allows(call('linear/list_issues'))).to.equal(false);
  });

  it('filters lists by member', async () => {
    const names = ['github/search_code', 'linear/list_issues', 'github/get_issue'];
    const listed = { tools: names.map((name) => ({ name })) };
    const verdict = await (await open(GITHUB)).answered(request('tools/list'), listed);
    expect(verdict).to.deep.equal({ change: [{ path: ['result', 'tools', 1], json: undefined }] });
  });
});

function bound(authorizer: Authorizer): Pick<Authorizer, 'allows'> {
  return { allows: (message, caller) => authorizer.allows(message, caller) };
}
