import { parseMembersFile } from '@portolan/run-spec/members-file';
import { expect } from 'chai';
import { memberBlock } from '../../../plugins/web-console/src/entry/member-block.ts';
import { entryOf } from '../../../plugins/web-console/src/responses/entry.ts';

describe('memberBlock › members file', () => {
  const rows: readonly (readonly [of: string, document: object, member: object])[] = [
    [
      'a package',
      {
        packages: [
          {
            registryType: 'npm',
            transport: { type: 'stdio' },
            environmentVariables: [
              { name: 'API_KEY', isRequired: true, isSecret: true },
              { name: 'MODE', isRequired: true, placeholder: 'a: "b", c } #' },
            ],
          },
        ],
      },
      {
        run: 'com.acme/notes',
        env: { MODE: 'a: "b", c } #' },
        secrets: ['notes-api-key,target=API_KEY'],
      },
    ],
    [
      'a remote server',
      {
        remotes: [
          {
            type: 'streamable-http',
            url: 'https://mcp.acme.example/mcp',
            headers: [
              { name: 'X-Api-Key', isRequired: true, isSecret: true },
              { name: 'X-Desk', isRequired: true, placeholder: 'null' },
            ],
          },
        ],
      },
      {
        run: 'com.acme/notes',
        forward_headers: { 'X-Desk': 'null' },
        forward_headers_secret: { 'X-Api-Key': 'notes-x-api-key' },
      },
    ],
  ];
  for (const [of, document, member] of rows) {
    it(`returns what \`run --members\` reads, for ${of}`, () => {
      const server = { name: 'com.acme/notes', version: '1.0.0', ...document };
      const text = memberBlock(entryOf('server', { server })) ?? '';
      expect(parseMembersFile(text, 'desk.yaml').members).to.deep.equal({ notes: member });
    });
  }
});
