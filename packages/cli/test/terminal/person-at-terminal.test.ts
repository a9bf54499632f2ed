import { expect } from 'chai';
import { personAtTerminal } from '../../src/terminal/ask/person-at-terminal.ts';

describe('personAtTerminal', () => {
  it('shows the issuer and the audience of a login before its address', async () => {
    const lines: string[] = [];
    const person = personAtTerminal({
      process: { ...process, stdin: process.stdin, stderr: process.stderr, platform: 'linux' },
      environment: { BROWSER: 'none' },
      print: (more) => void lines.push(...more),
    });
    await person.showLogin({
      url: 'https://login.acme.example/authorize?state=x',
      code: undefined,
      opens: false,
      at: 'login.acme.example',
      tokenFor: 'mcp.acme.example\u001B[2J',
      forWhat: 'notes',
      isExtensible: false,
    });
    expect(lines[0]).to.equal('Log in at login.acme.example; the token is for mcp.acme.example.');
    expect(lines[3]).to.include('https://login.acme.example/authorize');
  });
});
