import { expect } from 'chai';
import {
  findKnownNeeds,
  KNOWN_PROGRAMS,
  KNOWN_PROGRAMS_REVIEWED,
} from '../../src/settings/known-programs.ts';

describe('findKnownNeeds (W2)', () => {
  for (const [scheme, text, expected] of [
    ['uvx', 'mcp-server-git', ['git']],
    ['uvx', 'MCP_server.git[x]@2026.1.2#mcp-server-git', ['git']],
    ['npx', '@cyanheads/git-mcp-server@2.0.0', ['git']],
    ['npx', 'mcp-server-git', []],
    ['uvx', 'mcp-server-time', []],
    ['go', 'example.org/mcp-server-git', []],
  ] as const) {
    it(`returns ${expected.join() || 'nothing'} for ${scheme}://${text}`, () => {
      expect(findKnownNeeds(scheme, text, '').packages).to.deep.equal(expected);
    });
  }

  for (const [scheme, text, baseImage, expected] of [
    ['npx', 'mcp-server-kubernetes', '', 'kubectl'],
    ['npx', 'mcp-server-kubernetes', 'node:24-slim', 'kubernetes-client'],
    ['uvx', 'mcp-pandoc', '', 'pandoc'],
    ['uvx', 'mcp-pandoc', 'python:3.14-alpine', 'pandoc-cli'],
  ] as const) {
    it(`returns the name ${expected} for ${scheme}://${text} on ${baseImage || 'the default image'}`, () => {
      expect(findKnownNeeds(scheme, text, baseImage).packages).to.deep.equal([expected]);
    });
  }

  it('names a base image of Debian for a program that Alpine cannot run, unless the user chose a base image', () => {
    expect(findKnownNeeds('npx', '@azure/mcp@2.0.5', '')).to.deep.equal({
      packages: ['icu-devtools'],
      baseImage: 'node:24-slim',
      environment: {},
    });
    expect(findKnownNeeds('npx', '@azure/mcp', 'node:22-alpine')).to.deep.include({
      packages: ['icu-libs'],
      baseImage: 'node:22-alpine',
    });
  });

  it('names a base image with the only Python that a package supports, unless the user chose a base image', () => {
    const needs = { packages: [], environment: {} };
    expect(findKnownNeeds('uvx', 'kagimcp', '')).to.deep.equal({ ...needs, baseImage: 'python:3.12-slim' });
    expect(findKnownNeeds('uvx', 'kagimcp', 'python:3.13')).to.deep.equal({
      ...needs,
      baseImage: 'python:3.13',
    });
  });

  for (const [name, variable] of [
    ['@modelcontextprotocol/server-puppeteer', 'PUPPETEER_EXECUTABLE_PATH'],
    ['@playwright/mcp', 'PLAYWRIGHT_MCP_EXECUTABLE_PATH'],
    ['@executeautomation/playwright-mcp-server', 'CHROME_EXECUTABLE_PATH'],
  ] as const) {
    it(`names the browser of ${name}, and the variable that points to it`, () => {
      const { packages, environment } = findKnownNeeds('npx', name, '');
      expect(packages).to.deep.equal(['chromium']);
      expect(environment).to.include({ [variable]: '/usr/bin/chromium' });
    });
  }

  it('lists each package once, with names for both systems and the month of its review', () => {
    const names = KNOWN_PROGRAMS.map((one) => `${one.scheme}://${one.package}`);
    expect(new Set(names).size).to.equal(names.length);
    for (const { debian, alpine, baseImage, environment } of KNOWN_PROGRAMS) {
      expect(debian.length > 0).to.equal(alpine.length > 0);
      expect(debian.length > 0 || baseImage !== undefined || environment !== undefined).to.equal(true);
    }
    expect(KNOWN_PROGRAMS_REVIEWED).to.match(/^20\d\d-(?:0[1-9]|1[0-2])$/);
  });
});
