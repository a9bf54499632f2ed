{{- define "portolan.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "portolan.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "portolan.name" .) .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name (include "portolan.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "portolan.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "portolan.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- /* That of the job that runs before an installation, when the servers' own is not there yet. */}}
{{- define "portolan.migrationAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ printf "%s-migration" (include "portolan.fullname" .) }}
{{- else -}}
{{ include "portolan.serviceAccount" . }}
{{- end }}
{{- end }}

{{- define "portolan.selector" -}}
app.kubernetes.io/name: {{ include "portolan.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "portolan.labels" -}}
{{ include "portolan.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "portolan.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}
{{- end }}
