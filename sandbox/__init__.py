"""A small stand-in company with an ERP, a WMS and an MES as real HTTP servers, and switches to make them fail."""

from __future__ import annotations

from sandbox.company import COMPANY_FILE, Company, Reach
from sandbox.requisitions import Settlement
from sandbox.wms import StockChange

__all__ = ["COMPANY_FILE", "Company", "Reach", "Settlement", "StockChange"]
