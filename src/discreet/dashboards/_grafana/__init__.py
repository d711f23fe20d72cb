"""The dashboard, made with Grafana's library, which only the extra ``dashboards`` installs."""
