{{- /* Out to everywhere but what nobody of the platform needs. Postgres, Redis, mail and sign-in providers are outside. */ -}}
{{- define "svc.egress" }}
egress:
  - to:
      - ipBlock:
          cidr: 0.0.0.0/0
          {{- with .Values.networkPolicy.deniedCidrs }}
          except:
            {{- toYaml . | nindent 12 }}
          {{- end }}
      - ipBlock:
          cidr: ::/0
          except: [fe80::/10]
{{- end }}
