{{/* What the server's pods and the job's have in common. */}}
{{- define "portolan.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "portolan.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* "yes" in anonymous mode, where everybody could use the admin API, unless `config.server.adminApi` says otherwise. */}}
{{- define "portolan.hidesAdminApi" -}}
{{- $server := default dict .Values.config.server -}}
{{- if and (eq (dig "auth" "mode" "" .Values.config) "anonymous") (not (hasKey $server "adminApi")) -}}yes{{- end -}}
{{- end }}

{{- define "portolan.env" -}}
- name: PORTOLAN_SERVER_ADDRESS
  value: ":8080"
- name: PORTOLAN_SERVER_INTERNALADDRESS
  value: ":8081"
{{- if eq (include "portolan.migratesBefore" .) "yes" }}
- name: PORTOLAN_DATABASE_MIGRATEONSTART
  value: "false"
{{- end }}
{{- if eq (include "portolan.hidesAdminApi" .) "yes" }}
- name: PORTOLAN_SERVER_ADMINAPI
  value: "false"
{{- end }}
{{- range .Values.secretEnv }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "portolan.mounts" -}}
- name: config
  mountPath: /etc/portolan/portolan.config.yaml
  subPath: portolan.config.yaml
  readOnly: true
- name: data
  mountPath: /var/lib/portolan
- name: tmp
  mountPath: /tmp
{{- range .Values.secretFiles }}
- name: secret-{{ .name }}
  mountPath: /etc/portolan/secrets/{{ .name }}
  readOnly: true
{{- end }}
{{- end }}

{{- define "portolan.secretVolumes" -}}
- name: tmp
  emptyDir: {}
{{- range .Values.secretFiles }}
- name: secret-{{ .name }}
  secret:
    secretName: {{ .secret }}
    # The group's, since the process is not root and the files are not its own.
    defaultMode: 0440
{{- end }}
{{- end }}
