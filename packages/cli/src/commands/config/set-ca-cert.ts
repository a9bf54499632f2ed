import { Args } from '@oclif/core';
import path from 'node:path';
import { WorkloadCommand } from '../../command-line/workload-command.ts';
import { readCertificates, updateUserConfig } from '@portolan/workload/settings';

export default class ConfigSetCaCert extends WorkloadCommand {
  static override summary = 'Set the CA certificate that package builds trust';
  static override args = {
    file: Args.string({ description: 'file with PEM certificates', required: true, ignoreStdin: true }),
  };

  override async run(): Promise<number> {
    const { flags, args } = await this.readArguments(ConfigSetCaCert);
    return await this.withWorkloads(flags, async ({ directories }, signal) => {
      const file = path.resolve(args.file);
      const certificates = await readCertificates(file);
      this.tell((certificates?.notes ?? []).map((note) => `warning: ${note}`));
      await updateUserConfig(directories, [{ path: ['ca_certificate_path'], value: file }], signal);
      this.tell([`builds trust ${file}`]);
    });
  }
}
