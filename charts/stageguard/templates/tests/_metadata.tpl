{{- define "stageguard.testMetadata" -}}
labels:
  app.kubernetes.io/name: stageguard-test
  app.kubernetes.io/instance: {{ .root.Release.Name }}
annotations:
  helm.sh/hook: test
  helm.sh/hook-weight: {{ .weight | quote }}
  # A test that failed leaves its pod, and the log in it.
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
  argocd.argoproj.io/hook: Skip
{{- end }}
