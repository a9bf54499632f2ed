import { expect } from 'chai';
import { createRunConfig } from '../../src/run-config/run-config.ts';
import { parseWorkloadsFile } from '../../src/workloads-file/parse-workloads-file.ts';
import { shortFormOf } from '../../src/workloads-file/short-form.ts';

describe('shortFormOf', () => {
  const remote = createRunConfig({
    name: 'linear',
    remote_url: 'https://mcp.linear.example/mcp',
    transport: 'streamable-http',
    proxy_mode: 'streamable-http',
    host: '127.0.0.1',
    port: 8092,
    group: 'default',
    header_forward: { add_plaintext_headers: {}, add_headers_from_secret: { 'X-Key': 'linear-key' } },
    remote_auth_config: { enabled: false },
  });
  const container = createRunConfig({
    name: 'github',
    image: 'portolanlocal/npx-acme-github:1',
    run_target: 'npx://@acme/github@2.1.0',
    transport: 'stdio',
    proxy_mode: 'streamable-http',
    host: '127.0.0.1',
    port: 8091,
    group: 'work',
    cmd_args: ['--read-only'],
    env_vars: { REGION: 'eu' },
    secrets: ['token,target=GITHUB_TOKEN'],
    volumes: ['/srv/data:/data:ro'],
    permission_profile_name_or_path: 'none',
    isolate_network: true,
    image_verification: 'warn',
    stdio_sessions: 'own',
    ignore_config: { LoadGlobal: true, PrintOverlays: false },
    tools_filter: ['search'],
  });

  for (const { title, config, expected } of [
    {
      title: 'a package in a container',
      config: container,
      expected: {
        run: 'npx://@acme/github@2.1.0',
        transport: 'stdio',
        args: ['--read-only'],
        env: { REGION: 'eu' },
        secrets: ['token,target=GITHUB_TOKEN'],
        volumes: ['/srv/data:/data:ro'],
        permission_profile: 'none',
        group: 'work',
        proxy_port: 8091,
        tools: ['search'],
      },
    },
    {
      title: 'a container without isolation',
      config: { ...container, isolate_network: false, cmd_args: [], env_vars: {}, secrets: [], volumes: [] },
      expected: {
        run: 'npx://@acme/github@2.1.0',
        transport: 'stdio',
        permission_profile: 'none',
        isolate_network: false,
        group: 'work',
        proxy_port: 8091,
        tools: ['search'],
      },
    },
    {
      title: 'a remote server',
      config: remote,
      expected: {
        url: 'https://mcp.linear.example/mcp',
        transport: 'streamable-http',
        forward_headers_secret: { 'X-Key': 'linear-key' },
        remote_auth: { enabled: false },
        proxy_port: 8092,
      },
    },
    {
      title: 'a virtual server of a group',
      config: createRunConfig({ name: 'all', member_group: 'work', group: 'work', port: 8093 }),
      expected: { member_group: 'work', group: 'work', proxy_port: 8093 },
    },
  ]) {
    it(`shortFormOf › returns what differs from the defaults of ${title}`, () => {
      const form = shortFormOf(config);
      expect(form).to.deep.equal(expected);
      const text = JSON.stringify({ name: 'desk', workloads: { [config.name]: form } });
      expect(parseWorkloadsFile(text, 'desk.json').workloads).to.have.length(1);
    });
  }
});
