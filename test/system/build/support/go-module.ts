import { GO_HOST, type LocalIndexes } from './local-indexes.ts';
import { zipArchive } from './zip-archive.ts';

/** A server that uses the standard library only. */
export const GO_SERVER = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

func main() {
	name := strings.Join(append([]string{"gonotes"}, os.Args[1:]...), " ")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var asked struct{ Id *json.RawMessage }
		json.Unmarshal(lines.Bytes(), &asked)
		if asked.Id == nil {
			continue
		}
		fmt.Printf("{\\"jsonrpc\\":\\"2.0\\",\\"id\\":%s,\\"result\\":{\\"protocolVersion\\":\\"2025-11-25\\",\\"capabilities\\":{},\\"serverInfo\\":{\\"name\\":%q,\\"version\\":\\"1\\"}}}\\n", string(*asked.Id), name)
	}
}
`;

/** Adds a version of a module with a program in cmd/server to the local proxy. */
export function publishModule(indexes: LocalIndexes, module: string, version: string): void {
  const modFile = `module ${module}\n\ngo 1.24\n`;
  const under = `${module}@${version}`;
  const body = zipArchive({
    [`${under}/go.mod`]: modFile,
    [`${under}/cmd/server/main.go`]: GO_SERVER,
    [`${under}/notes.go`]: 'package notes\n',
  });
  const at = `${GO_HOST}/${module}/@v`;
  const text = (content: string): { readonly type: string; readonly body: string } => ({
    type: 'text/plain',
    body: content,
  });
  indexes.answers.set(
    `${at}/${version}.info`,
    text(JSON.stringify({ Version: version, Time: '2026-01-01T00:00:00Z' })),
  );
  indexes.answers.set(`${at}/${version}.mod`, text(modFile));
  indexes.answers.set(`${at}/${version}.zip`, { type: 'application/zip', body });
  const list = String(indexes.answers.get(`${at}/list`)?.body ?? '');
  indexes.answers.set(`${at}/list`, text(`${list}${version}\n`));
}
