import { expect } from 'chai';
import { createRunConfig } from '@portolan/run-spec';
import { kubernetesResource } from '../../src/run/operations/kubernetes-resource.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('kubernetesResource', () => {
  it('has the fields that operators read', () => {
    const { resource, warnings } = kubernetesResource(
      createRunConfig({
        name: 'Acme.Weather_1',
        image: 'ghcr.io/acme/weather:1',
        transport: 'stdio',
        proxy_mode: 'sse',
        port: 8123,
        cmd_args: ['--units'],
        env_vars: { REGION: 'eu' },
        secrets: ['weather-key,target=API_KEY'],
        volumes: ['/srv/notes:/data:ro'],
        permission_profile: { name: 'network' },
        authz_config: { type: 'cedarv1', cedar: { policies: ['permit(principal, action, resource);'] } },
        audit_config: {},
      }),
    );
    expect(resource).to.deep.equal({
      apiVersion: 'toolhive.stacklok.dev/v1beta1',
      kind: 'MCPServer',
      metadata: { name: 'acme-weather-1' },
      spec: {
        image: 'ghcr.io/acme/weather:1',
        transport: 'stdio',
        proxyMode: 'sse',
        args: ['--units'],
        proxyPort: 8123,
        env: [{ name: 'REGION', value: 'eu' }],
        volumes: [{ name: 'volume-0', hostPath: '/srv/notes', mountPath: '/data', readOnly: true }],
        permissionProfile: { type: 'builtin', name: 'none' },
        authzConfig: {
          type: 'inline',
          inline: { policies: ['permit(principal, action, resource);'], entitiesJson: '[]' },
        },
        audit: { enabled: true },
      },
    });
    expect(warnings.join('\n')).to.include('weather-key').and.not.include('API_KEY');
  });

  it('names the proxy mode for stdio alone, and the port of the server', () => {
    const { resource } = kubernetesResource(
      createRunConfig({ name: 'a', image: 'acme/a', transport: 'sse', proxy_mode: 'sse', target_port: 9000 }),
    );
    expect(resource['spec']).to.deep.equal({ image: 'acme/a', transport: 'sse', mcpPort: 9000 });
  });

  const refused = [
    { title: 'a remote server', fields: { remote_url: 'https://mcp.acme.example/mcp' } },
    { title: 'a workload without an image', fields: { run_target: 'npx://a' } },
  ];
  for (const { title, fields } of refused) {
    it(`refuses ${title}`, async () => {
      const error = await caught(() => kubernetesResource(createRunConfig({ name: 'a', ...fields })));
      expect(error).to.have.property('code', 'ERR_NOT_EXPORTABLE');
    });
  }
});
