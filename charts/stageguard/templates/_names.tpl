{{- define "stageguard.name" -}}
{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "stageguard.serviceAccountName" -}}
{{ .Values.serviceAccount.name | default (include "stageguard.name" .) }}
{{- end }}

{{- define "stageguard.labels" -}}
app.kubernetes.io/name: stageguard
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}
